"""A good merchant in Python: it verifies with examples/verify/verify.py, and books once."""
from merchant import Merchant

FAILS = []

if __name__ == "__main__":
    Merchant().serve()
