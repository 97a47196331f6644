from tablefold.store.deadline import Deadline


def test_time_left_is_never_negative():
    past = Deadline.after(-5)
    assert past.expired
    assert past.remaining() == 0


def test_a_deadline_ahead_has_time_left():
    ahead = Deadline.after(3600)
    assert not ahead.expired
    assert 0 < ahead.remaining() <= 3600


def test_the_earlier_deadline_is_the_smaller():
    assert min(Deadline(2.0), Deadline(1.0)) == Deadline(1.0)
