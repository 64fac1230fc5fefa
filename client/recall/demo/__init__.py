"""`recall demo`: made-up sessions of all three agents in a temporary place, and the product's main job done on them."""
