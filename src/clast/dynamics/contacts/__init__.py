"""What is done with a contact, in plane and space alike: forces, springs, balance, blocks of lanes, the table."""
