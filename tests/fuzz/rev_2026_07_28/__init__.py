"""What fuzzers of revision 2026-07-28 say."""
