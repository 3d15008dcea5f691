"""A package that happens to be called as one of the template is."""

SHOP = "Shop"
