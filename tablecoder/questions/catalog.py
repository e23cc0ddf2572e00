"""All domains by name; a new one is one file in `domains/` and one line here."""

from tablecoder.questions.domains import bookings, orders, shipments, students, trips, visits
from tablecoder.questions.schema import Domain

TRAINED: dict[str, Domain] = {
    module.DOMAIN.name: module.DOMAIN for module in (orders, shipments, visits, students, bookings)
}
HELD_OUT: dict[str, Domain] = {module.DOMAIN.name: module.DOMAIN for module in (trips,)}
DOMAINS: dict[str, Domain] = TRAINED | HELD_OUT
