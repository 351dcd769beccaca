"""Books whatever is posted."""
from merchant import Merchant

FAILS = ["SIG-01", "SIG-02", "SIG-03", "SIG-04", "SIG-05", "SIG-10"]


class Credulous(Merchant):
    def is_believed(self, *_):
        return True


if __name__ == "__main__":
    Credulous().serve()
