"""What an adopter lists: tools, prompts and resources, and what there is to know of them without importing them."""
