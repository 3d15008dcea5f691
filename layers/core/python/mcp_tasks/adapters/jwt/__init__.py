"""Access tokens: JSON Web Tokens and the keys that verify them."""
