"""The UI as a Hugging Face Space: what is staged, which settings go with it, how it is uploaded.

packages.py   requirements.txt
card.py       README.md, by whose front matter a Space is built
folder.py     the whole folder
environment.py  which settings a Space is given, as secrets and as variables
upload.py     what an upload is; upload_text.py says it
hub.py        the upload, by hub_child.py in a process of its own
"""
