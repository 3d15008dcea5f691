"""Who reaches what: every role against every resource, and whoever holds a ticket against every key."""
