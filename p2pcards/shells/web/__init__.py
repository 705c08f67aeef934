"""The page: a local web server for one player's browser, and the documents that it is sent.

`screen` and `scenes` turn what a seat may know into a document; `desk` is what the player does;
`server` and `guard` speak to the browser on this machine and to nobody else.
"""
