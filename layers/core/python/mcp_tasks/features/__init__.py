"""Server features: tools, prompts and resources, their schemas, and the catalogue that lists them at build time."""
