"""Who is calling, and the values that clients carry for the server: signed or encrypted."""
