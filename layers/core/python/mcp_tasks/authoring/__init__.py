"""What the code of tools, prompts and resources uses: the context, input requests, contents and errors."""
