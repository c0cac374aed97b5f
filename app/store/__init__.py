"""What is kept between visits: chats and their search, pictures and clips, running turns."""
