# SPDX-License-Identifier: MIT
"""Networks of the collection of TNTP files, for the programs beside this file. Names are those of the folders."""
import gzip, os

# name: (network, trips, factor of tolls, factor of lengths)
FILES = {
    "Braess": ("Braess/Braess_net.tntp", "Braess/Braess_trips.tntp", 0, 0),
    "SiouxFalls": ("SiouxFalls/SiouxFalls_net.tntp", "SiouxFalls/SiouxFalls_trips.tntp", 0, 0),
    "Anaheim": ("Anaheim/Anaheim_net.tntp", "Anaheim/Anaheim_trips.tntp", 0, 0),
    "EasternMassachusetts": ("EasternMassachusetts/EMA_net.tntp", "EasternMassachusetts/EMA_trips.tntp", 0, 0),
    "BerlinMPFC": ("BerlinMPFC/berlin-mitte-prenzlauerberg-friedrichshain-center_net.tntp.gz",
                   "BerlinMPFC/berlin-mitte-prenzlauerberg-friedrichshain-center_trips.tntp.gz", 0, 0),
    "ChicagoSketch": ("ChicagoSketch/ChicagoSketch_net.tntp", "ChicagoSketch/ChicagoSketch_trips.tntp.gz", 0.02, 0.04),
    "HessenAsymmetric": ("HessenAsymmetric/Hessen-Asym_net.tntp.gz", "HessenAsymmetric/Hessen-Asym_trips.tntp.gz", 0, 0),
    "AustinTAPB": ("AustinTAPB/AustinTAPB_net.tntp.gz", "AustinTAPB/AustinTAPB_trips.tntp.gz", 0, 0),
}


def text_of(path):
    """The text of a file, plain or gz."""
    opened = gzip.open(path, "rt") if path.endswith(".gz") else open(path, encoding="utf-8")
    with opened as file:
        return file.read()


def plain_copies(data, name, folder):
    """Writes network and trips of name into folder as plain text. Factors stand in the header of the trips. Returns both paths."""
    network, trips, toll, distance = FILES[name]
    paths = [os.path.join(folder, f"{name}_{kind}.tntp") for kind in ("net", "trips")]
    header = f"<TOLL FACTOR> {toll}\n<DISTANCE FACTOR> {distance}\n" if toll or distance else ""
    for path, source, begin in zip(paths, (network, trips), ("", header)):
        with open(path, "w", encoding="utf-8") as file:
            file.write(begin + text_of(os.path.join(data, "tntp", source)))
    return paths
