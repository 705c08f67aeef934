"""What people and programs touch: the command line, bots, scripts and words for people.

Shells are thin. They see a seat's view and choose one of its options by id; they never see a
hidden card of another seat, because no view holds one.
"""
