"""What several of the programs use; imports none of them."""
