"""The page: Gradio Blocks, the modules of ours that it loads, Markdown to HTML."""
