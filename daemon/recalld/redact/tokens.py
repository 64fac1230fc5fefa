"""Tokens that their issuers made recognisable: a table of kinds, the literal that gives each away, and its form.

The literals feed the one scan of the text; a form is then matched at the literal's place only. Every repetition is
bounded or a single class of characters, so a match costs what it reads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from recalld.redact import values

APART = r"(?:(?<![A-Za-z0-9_])|(?<=\\[nrtbf])|(?<=%[0-9A-F]{2})|(?<=[\[;]\dm)|(?<=[\[;]\d\dm))"
"""What stands before a token: no letter or digit, unless that ends an escape, a percent code or a colour code."""


@dataclass(frozen=True, slots=True)
class Token:
    """One kind of token. `form` is matched where one of `literals` starts; `random` asks for chance too."""

    kind: str
    literals: tuple[str, ...]
    form: re.Pattern[str]
    random: bool = False
    behind: re.Pattern[str] | None = None
    """For a literal that stands inside or behind the secret: what must end right before it and belongs to it."""

    def find(self, text: str, start: int) -> tuple[int, int] | None:
        """Return the span of the token at `start`, or None. Group 1, where there is one, is the secret in the match."""
        found = self.form.match(text, start)
        if found is None:
            return None
        span = found.span(found.re.groups and 1)
        body = text[span[0] : span[1]]
        if (
            masked(body)
            or (_STAND_IN.search(body[:80]) and values.is_wordy(body[:80]))
            or (self.random and not values.is_random(body[:400]))
        ):
            return None
        return span


_STAND_IN = re.compile(r"(?i)[-_.](?:your|my|token|key|secret|here|example|dummy|fake|placeholder|value|goes)(?:$|[-_.])")
_SAME = re.compile(r"(.)\1{7}")


def masked(token: str) -> bool:
    """Return whether a token is a mask or a pattern for one: eight equal characters, too few different ones."""
    sample = token[:200]
    distinct = len(set(sample))
    if sample.endswith("EXAMPLE"):  # of the vendor's own documentation
        return True
    if distinct < 16 and _SAME.search(sample[:80]):
        return True
    return len(sample) >= 10 and distinct < 7


BEHIND_REACH = 100
"""Characters before a literal that a `behind` may take in."""


def _t(kind: str, literals: str, form: str, *, apart: bool = False, random: bool = False, behind: str = "") -> Token:
    form = (APART if apart else "") + form
    return Token(kind, tuple(literals.split(" ")), re.compile(form), random, re.compile(behind) if behind else None)


_W = r"[A-Za-z0-9_-]"
_A = r"[A-Za-z0-9]"

_CAPITAL_OR_DIGIT = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_PAT_WORDS = values.words("ch te ti tt ie ia ib ic en er io ro ri he hs hn hl hf ho hi ht hp hm hd hw hr ha hc hy")
"""What goes on from `pat` in words that are everywhere in code (path, patch, pattern, compatible): looking closer at
each would cost more than the one in 130 tokens of Airtable that begins so; a name before it still gives that away."""
_PAT = " ".join(
    [f"pat{c}" for c in _CAPITAL_OR_DIGIT]
    + [f"pat{c}{d}" for c in _LOWER for d in _CAPITAL_OR_DIGIT]
    + [f"pat{c}{d}" for c in _LOWER for d in _LOWER if c + d not in _PAT_WORDS]
)

TOKENS: tuple[Token, ...] = (
    _t("aws-access-key", "AKIA ASIA ABIA ACCA", rf"A(?:KI|SI|BI|CC)A[A-Z0-9]{{16}}(?!{_A})", apart=True),
    _t("aws-bedrock-key", "ABSKQmVkcm9ja0FQSUtleS", r"ABSK[A-Za-z0-9+/=]{60,400}"),
    _t("alibaba-key", "LTAI", rf"LTAI[A-Za-z0-9]{{12,30}}(?!{_A})", apart=True, random=True),
    _t("tencent-key", "AKID", rf"AKID[A-Za-z0-9]{{28,40}}(?!{_A})", apart=True, random=True),
    _t("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,255}(?:[._-][A-Za-z0-9_-]{20,2000}){0,2}"),
    _t("github-token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,255}"),
    _t("github-app-token", "v1.", rf"v1\.[0-9a-f]{{40}}(?!{_A})", apart=True),
    _t(
        "gitlab-token",
        "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glsoat- glimt- glagent- gloas- glffct- glwt-",
        rf"gl[a-z]{{2,6}}-{_W}{{18,300}}(?:\.[A-Za-z0-9_.-]{{5,100}})?",
        apart=True,
    ),
    _t("gitlab-token", "GR1348941", rf"GR1348941{_W}{{20,60}}"),
    _t("npm-token", "npm_", r"npm_[A-Za-z0-9]{36,100}", apart=True),
    _t("pypi-token", "pypi-Ag", rf"pypi-Ag{_W}{{30,1000}}"),
    _t("rubygems-token", "rubygems_", r"rubygems_[a-f0-9]{48}"),
    _t("crates-token", "cio", rf"cio[A-Za-z0-9]{{32}}(?!{_A})", apart=True, random=True),
    _t("clojars-token", "CLOJARS_", r"CLOJARS_[A-Za-z0-9]{40,80}"),
    _t("docker-token", "dckr_pat_ dckr_oat_", rf"dckr_[po]at_{_W}{{20,100}}"),
    _t(
        "slack-token",
        "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe.",
        r"xox[abcdeoprs][-.](?:xox[bp]-)?[A-Za-z0-9%+/=_-]{10,500}",
    ),
    _t("slack-token", "xapp- xwfp-", r"(?:xapp|xwfp)-[A-Za-z0-9-]{16,300}"),
    _t(
        "slack-webhook",
        "hooks.slack.com hooks.slack-gov.com",
        r"hooks\.slack(?:-gov)?\.com/((?:services|workflows|triggers)/[A-Za-z0-9+/_-]{18,200})",
    ),
    _t(
        "discord-webhook",
        "discord.com/api discordapp.com/api",
        r"discord(?:app)?\.com/api/(?:v\d+/)?webhooks/(\d{6,25}/[\w-]{20,120})",
    ),
    _t("teams-webhook", ".webhook.office.com", r"\.webhook\.office\.com/(webhookb2/[A-Za-z0-9@/_-]{40,400})"),
    _t("zapier-webhook", "hooks.zapier.com", r"hooks\.zapier\.com/(hooks/catch/\d+/\w{5,40})"),
    _t("stripe-key", "sk_live_ rk_live_ sk_test_ rk_test_", r"[sr]k_(?:live|test)_[A-Za-z0-9_]{10,250}"),
    _t("stripe-webhook-secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{20,100}"),
    _t("twilio-key", " ".join(f"SK{d}" for d in "0123456789abcdef"), rf"SK[0-9a-f]{{32}}(?!{_A})", apart=True),
    _t("sendgrid-key", "SG.", rf"SG\.{_W}{{16,32}}\.{_W}{{16,64}}", apart=True),
    _t("mailgun-key", "key-", rf"key-[0-9a-f]{{32}}(?!{_A})", apart=True),
    _t("brevo-key", "xkeysib- xsmtpsib-", r"x(?:keysib|smtpsib)-[a-f0-9]{64}(?:-[A-Za-z0-9]{16})?"),
    _t("shopify-token", "shpat_ shpca_ shppa_ shpss_ shptka_", r"shp(?:at|ca|pa|ss|tka)_[A-Za-z0-9]{24,64}"),
    _t("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[a-f0-9]{40,64}"),
    _t("heroku-key", "HRKU-", rf"HRKU-{_W}{{30,80}}"),
    _t("huggingface-token", "hf_", rf"hf_[A-Za-z0-9]{{30,60}}(?!{_A})", apart=True),
    _t("huggingface-token", "api_org_", rf"api_org_[A-Za-z0-9]{{30,60}}(?!{_A})", apart=True),
    _t("anthropic-key", "sk-ant-", rf"sk-ant-{_W}{{16,300}}"),
    _t(
        "openai-key",
        "sk-proj- sk-svcacct- sk-admin- sk-None-",
        rf"sk-(?:proj|svcacct|admin|None)-{_W}{{20,300}}",
        random=True,
    ),
    _t("api-key", "sk-or-v1-", r"sk-or-v1-[a-f0-9]{40,80}"),
    _t("openai-key", "sk-", rf"sk-(?!ssh-|ecdsa-|ant-){_W}{{18,300}}", apart=True, random=True),
    _t("api-key", "sk_", rf"sk_[A-Za-z0-9]{{32,100}}(?!{_A})", apart=True, random=True),
    _t(
        "api-key",
        "gsk_ pplx- xai- tvly- fw_ r8_ csk- jina_ pcsk_ tgp_v1_ sk-kimi- esecret_ apify_api_ csb_v1_ sk_car_",
        rf"(?:gsk_|pplx-|xai-|tvly-|fw_|r8_|csk-|jina_|pcsk_|tgp_v1_|sk-kimi-|esecret_|apify_api_|csb_v1_|sk_car_){_W}{{20,120}}",
        apart=True,
        random=True,
    ),
    _t("langsmith-key", "lsv2_", r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{8,12}"),
    _t("google-api-key", "AIza", rf"AIza{_W}{{30,45}}"),
    _t("google-oauth-token", "ya29.", r"ya29\.[A-Za-z0-9_.-]{20,1000}"),
    _t("google-oauth-secret", "GOCSPX-", rf"GOCSPX-{_W}{{20,60}}"),
    _t("google-refresh-token", "1//0", rf"1//0[A-Za-z0-9]{_W}{{30,200}}", apart=True),
    _t("google-api-key", "AQ.Ab", rf"AQ\.Ab{_W}{{30,100}}", apart=True),
    _t(
        "discord-token",  # its first part is base64 of a number of 17 digits, which shows in its first characters
        " ".join(a + b + c + d for a in "MNO" for b in "DTjz" for c in "AEIMQUYcgk" for d in "wxyz012345"),
        rf"(?<!-)[MNO]{_W}{{22,30}}\.{_W}{{6}}\.{_W}{{27,45}}(?!{_W})",
        apart=True,
    ),
    _t(
        "discord-token",
        ".G .X .Y .Z",
        rf"\.[GXYZ]{_W}{{5}}\.{_W}{{27,45}}(?!{_W})",
        behind=r"(?<![\w-])[MNO][\w-]{23,27}$",
        random=True,
    ),
    _t(
        "telegram-token",
        " ".join(f"{d}:A" for d in range(10)),
        rf"\d:(A[A-Z]{_W}{{32,35}})(?!{_W})",
        behind=r"(?<!\d)\d{7,11}$",
    ),
    _t("databricks-token", "dapi dkea", rf"(?:dapi|dkea)[0-9a-f]{{32}}(?:-\d)?(?!{_A})", apart=True),
    _t("atlassian-token", "ATATT3 ATCTT3", r"AT[AC]TT3[A-Za-z0-9_=+/-]{40,400}"),
    _t("bitbucket-token", "ATBB", rf"ATBB[A-Za-z0-9]{{24,60}}(?!{_A})", apart=True, random=True),
    _t("linear-key", "lin_api_ lin_oauth_ lin_wh_", r"lin_(?:api|oauth|wh)_[A-Za-z0-9]{32,80}"),
    _t("notion-token", "ntn_", r"ntn_[A-Za-z0-9]{40,60}", apart=True),
    _t("notion-token", "secret_", rf"secret_[A-Za-z0-9]{{40,50}}(?!{_A})", apart=True, random=True),
    _t("figma-token", "figd_ figo_ figu_ figoh_ figur_ figuh_", rf"fig[a-z]{{1,2}}_{_W}{{30,80}}", apart=True),
    _t("sentry-token", "sntrys_ sntryu_ sntrya_ sntryi_", r"sntry[a-z]_[A-Za-z0-9+/=_-]{40,500}"),
    _t("vault-token", "hvs. hvb. hvr.", rf"hv[sbr]\.{_W}{{20,300}}", apart=True),
    _t("terraform-token", ".atlasv1.", rf"\.atlasv1\.{_W}{{40,100}}", behind=r"[A-Za-z0-9]{14}$"),
    _t(
        "doppler-token",
        "dp.pt. dp.st. dp.sa. dp.ct. dp.scim. dp.audit. dp.said.",
        r"dp\.[a-z]{2,5}\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{36,60}",
        apart=True,
    ),
    _t("cloudflare-key", "v1.0-", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,200}"),
    _t("cloudflare-token", "cfut_ cfat_ cfk_", r"cf(?:ut|at|k)_[A-Za-z0-9]{36,60}", apart=True),
    _t("age-key", "AGE-SECRET-KEY- AGE-PLUGIN-", r"AGE-(?:SECRET-KEY|PLUGIN-[A-Z0-9]{1,30})-[0-9A-Z]{20,200}"),
    _t("age-key", "age-secret-key-", r"age-secret-key-[0-9a-z]{20,200}"),
    _t("grafana-token", "glc_ glsa_", r"gl(?:c|sa)_[A-Za-z0-9+/=_]{32,400}", apart=True),
    _t("newrelic-key", "NRAK- NRII- NRIQ- NRRA- NRAA- NRSP-", rf"NR[A-Z]{{2}}-{_W}{{20,60}}", apart=True),
    _t("newrelic-license-key", "NRAL", rf"NRAL(?!{_A})", behind=r"[0-9a-f]{36}$"),
    _t("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"pscale_(?:tkn|pw|oauth)_[\w.=-]{30,80}"),
    _t("supabase-key", "sbp_ sb_secret_", r"(?:sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,80})", apart=True),
    _t("pulumi-token", "pul-", rf"pul-[a-f0-9]{{40}}(?!{_A})", apart=True),
    _t("postman-key", "PMAK-", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    _t("square-token", "sq0atp- sq0csp- sq0idp-", rf"sq0[a-z]{{3}}-{_W}{{20,50}}"),
    _t("square-token", "EAAA", rf"EAAA{_W}{{60,64}}(?!{_W})", apart=True, random=True),
    _t(
        "facebook-token",
        "EAAB EAAC EAAD EAAE EAAF EAAG EAAI EAAJ EAAM EAAL EAAP EAAU EAAW EAAX EAAZ",
        rf"EAA[A-Z][A-Za-z0-9]{{60,400}}(?!{_A})",
        apart=True,
        random=True,
    ),
    _t("dropbox-token", "sl.", rf"sl\.(?:u\.)?{_W}{{100,1500}}", apart=True, random=True),
    _t(
        "airtable-token",
        _PAT,
        r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}",
        apart=True,
    ),
    _t("dynatrace-token", "dt0c01. dt0s01. dt0s02. dt0s16.", r"dt0[cs]\d\d\.[A-Z0-9]{8,24}\.[A-Z0-9]{64}"),
    _t("easypost-key", "EZAK EZTK", rf"EZ[AT]K[A-Za-z0-9]{{54}}(?!{_A})"),
    _t("flutterwave-key", "FLWSECK", r"FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,60}(?:-X)?"),
    _t("fly-token", "fm1a_ fm1r_ fm2_ fo1_", r"(?:fm1[ar]|fm2|fo1)_[A-Za-z0-9+/=_,-]{40,4000}", apart=True),
    _t("onepassword-token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9+/=_-]{100,3000}"),
    _t(
        "onepassword-key",
        "A3-",
        r"A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}",
        apart=True,
    ),
    _t("mapbox-token", "sk.eyJ", r"sk\.eyJ[A-Za-z0-9_-]{20,400}\.[A-Za-z0-9_-]{10,100}"),
    _t("netlify-token", "nfp_ nfc_ nfo_ nfu_ nfb_", r"nf[pcoub]_[A-Za-z0-9]{30,60}", apart=True),
    _t("vercel-token", "vcp_ vca_ vci_ vcr_ vck_", r"vc[pairk]_[A-Za-z0-9]{24,80}", apart=True, random=True),
    _t("render-key", "rnd_", rf"rnd_[A-Za-z0-9]{{28,60}}(?!{_A})", apart=True, random=True),
    Token(
        "resend-key",  # with what may stand before it, since `re_` alone is in `core_` and `pre_`
        tuple(c + "re_" for c in " \"'`=:([>,;/\n\t"),
        re.compile(rf"\W(re_[A-Za-z0-9]{{8}}_[A-Za-z0-9]{{16,40}})(?!{_A})"),
        random=True,
    ),
    _t("shippo-token", "shippo_live_ shippo_test_", r"shippo_(?:live|test)_[a-f0-9]{40}"),
    _t("contentful-token", "CFPAT-", rf"CFPAT-{_W}{{40,60}}"),
    _t("typeform-token", "tfp_", r"tfp_[\w.=-]{40,80}", apart=True),
    _t("yandex-key", "AQVN", rf"AQVN{_W}{{35,40}}(?!{_W})", apart=True, random=True),
    _t(
        "launchdarkly-key",
        "sdk- mob- api-",
        r"(?:sdk|mob|api)-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w-])",
        apart=True,
    ),
    _t("buildkite-token", "bkua_ bkct_ bkpt_", r"bk(?:ua|ct|pt)_[a-f0-9A-Za-z]{30,60}", apart=True),
    _t("circleci-token", "CCIPAT_ CCIPRJ_", r"CCIP(?:AT|RJ)_[A-Za-z0-9]{20,30}_[a-f0-9]{40}"),
    _t("artifactory-token", "AKCp", rf"AKCp[A-Za-z0-9]{{60,80}}(?!{_A})", apart=True),
    _t("artifactory-token", "cmVmdGtu", r"cmVmdGtu[A-Za-z0-9]{50,60}"),
    _t("openshift-token", "sha256~", rf"sha256~{_W}{{43}}(?!{_W})"),
    _t("sourcegraph-token", "sgp_", r"sgp_(?:[a-f0-9]{16}_|local_)?[a-f0-9]{40}", apart=True),
    _t("tailscale-key", "tskey-", r"tskey-[a-z]{2,12}-[A-Za-z0-9_-]{12,80}"),
    _t("infracost-key", "ico-", rf"ico-[A-Za-z0-9]{{32}}(?!{_A})", apart=True),
    _t("duffel-token", "duffel_live_ duffel_test_", r"duffel_(?:live|test)_[\w=-]{40,50}"),
    _t("adafruit-key", "aio_", rf"aio_[A-Za-z0-9]{{28}}(?!{_A})", apart=True),
    _t("prefect-key", "pnu_ pnb_", rf"pn[ub]_[A-Za-z0-9]{{36}}(?!{_A})", apart=True),
    _t("readme-key", "rdme_", r"rdme_[a-z0-9]{60,80}"),
    _t("postgres-cloud-key", "napi_", r"napi_[a-z0-9]{40,80}", apart=True),
    _t("database-password", "AVNS_ npg_", rf"(?:AVNS|npg)_{_W}{{10,40}}", apart=True),
    _t("azure-secret", "Q~", r"Q~[A-Za-z0-9_.~-]{31,34}", behind=r"[A-Za-z0-9_~.-]{3}\d$"),
    _t("azure-key", "JQQJ99", r"JQQJ99[A-Za-z0-9]{46,80}", behind=r"[A-Za-z0-9+/]{25,90}$"),
    _t(
        "azure-key",
        "+AStA AzCa AzFu +ACDb +AMC +ARm AzSe +ASb +AEh AIoT AACDb APIM",
        r"[+A-Za-z]{4,5}[A-Za-z0-9+/]{4,10}={0,2}(?![A-Za-z0-9+/=])",
        behind=r"[A-Za-z0-9+/]{25,90}$",
    ),
    _t("grafana-token", "eyJrIjoi", r"eyJrIjoi[A-Za-z0-9+/]{60,400}={0,2}", apart=True),
    _t(
        "jwt",
        "eyJ",
        r"(?<![.-])eyJ[A-Za-z0-9_-]{8,20000}\.(?:[A-Za-z0-9_-]{8,60000}|\.)(?:\.[A-Za-z0-9_-]{0,60000}){0,4}",
        apart=True,
    ),
    _t("extended-private-key", "xprv yprv zprv tprv", rf"[xyzt]prv[A-Za-z0-9]{{100,112}}(?!{_A})", apart=True),
    _t(
        "mailchimp-key",
        "-us1 -us2 -us3 -us4 -us5 -us6 -us7 -us8 -us9",
        rf"-us\d{{1,2}}(?!{_W})",
        behind=APART + r"[0-9a-f]{32}$",
    ),
    _t("private-key", "nsec1", r"nsec1[02-9ac-hj-np-z]{58}(?![a-z0-9])", apart=True),
    _t("openai-key", "T3BlbkFJ", rf"T3BlbkFJ{_W}{{10,120}}", behind=r"[A-Za-z0-9_-]{8,100}$"),
    _t("authorization", "QVdTOm", r"QVdTOm[A-Za-z0-9+/=]{40,4000}", apart=True),
    _t("authorization", "eyJhdXRocyI6", r"eyJhdXRocyI6[A-Za-z0-9+/=]{20,8000}", apart=True),
    Token(
        "bearer-token",  # with what may stand before it, so that a megabyte of one letter is no megabyte of hits
        tuple(c + "A" * 21 for c in " \"'`=:([>,;\n\t"),
        re.compile(r"\W(A{21,30}[A-Za-z0-9%]{60,160})"),
    ),
    _t(
        "api-key",
        "pat-na1- pat-na2- pat-na3- pat-eu1- pat-ap1-",
        r"pat-[a-z]{2}\d-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
        apart=True,
    ),
    _t("google-oauth-token", "4/0A", rf"4/0A{_W}{{30,120}}", apart=True),
    _t("private-key", "RWRTY0Iy RWRCSwAA", r"RWR(?:TY0Iy|CSwAA)[A-Za-z0-9+/]{60,400}={0,2}", apart=True),
    _t(
        "api-key",
        "access-sandbox- access-development- access-production-",
        r"access-(?:sandbox|development|production)-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}",
    ),
    _t("wandb-key", "wandb_v1_", rf"wandb_v1_{_W}{{40,120}}"),
    _t("razorpay-key", "rzp_live_ rzp_test_", r"rzp_(?:live|test)_[A-Za-z0-9]{14,30}", apart=True),
    _t("braintree-token", "access_token$", r"access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}"),
    _t("amazon-mws-key", "amzn.mws.", r"amzn\.mws\.[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"),
    _t("api-key", "bedrock-api-key-", r"(?:bedrock-api-key-[A-Za-z0-9+/=]{40,400})", apart=True),
    _t("api-key", "sk-lf-", r"sk-lf-[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", apart=True),
    _t("api-key", "nvapi- sk-bf-", rf"(?:nvapi|sk-bf)-{_W}{{30,80}}", apart=True),
    _t("api-key", "fc- cal_live_", rf"(?:fc-|cal_live_)[0-9a-f]{{32}}(?!{_A})", apart=True),
    _t("api-key", "e2b_", rf"e2b_[0-9a-f]{{40}}(?!{_A})", apart=True),
    _t("api-key", "lsp_ phx_", rf"(?:lsp|phx)_{_A}{{30,60}}(?!{_A})", apart=True, random=True),
    _t("api-key", "sgamp_", rf"sgamp_{_W}{{40,80}}", apart=True),
    _t("api-key", "fio-u-", rf"fio-u-{_W}{{60,70}}", apart=True),
    _t("api-key", "p8e-", rf"p8e-[a-zA-Z0-9]{{32}}(?!{_A})", apart=True),
    _t("api-key", "pat. sat.", rf"[ps]at\.{_A}{{22}}\.[0-9a-f]{{24}}\.{_A}{{20}}(?!{_A})", apart=True),
    _t("api-key", "s-s4t2", r"s-s4t2(?:ud|af)-[0-9a-f]{64}", apart=True),
    _t("api-key", "API-", rf"API-[A-Z0-9]{{26,32}}(?!{_A})", apart=True, random=True),
    _t("api-key", "tk-us-", rf"tk-us-{_W}{{48}}(?!{_W})", apart=True),
    _t("api-key", "zpka_", rf"zpka_[a-z0-9]{{32}}_[a-f0-9]{{8}}(?!{_A})", apart=True),
    _t("api-key", "sm_pat_ sm_aat_ sm_sat_", rf"sm_[pas]at_{_A}{{16}}(?!{_A})", apart=True),
    _t("yandex-key", "t1.", rf"t1\.{_W}{{1,200}}={{0,2}}\.{_W}{{86}}(?!{_W})", apart=True, random=True),
    _t("amazon-oauth-secret", "amzn1.oa2-cs.", r"amzn1\.oa2-cs\.v1\.[a-f0-9]{64}"),
)
"""In order of precedence: of two that match at one place the longer span wins, then the earlier."""
