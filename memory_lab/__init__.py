"""What a chatbot should remember (filled in by the package core)."""
