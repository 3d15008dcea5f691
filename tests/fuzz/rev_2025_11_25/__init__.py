"""What fuzzers of revision 2025-11-25 say."""
