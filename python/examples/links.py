"""Links: pages that link to each other are alike, so an answer about one says something about its neighbours."""

import networkx as nx
import ordain

graph = nx.karate_club_graph()
kernel = ordain.RegularizedLaplacian(graph, iota=2.0) + ordain.Independent(0.3)
model = ordain.PreferenceModel(kernel, noise=0.3, goal="best").fit(list(graph.nodes))

# Somebody likes members who are close to the president, number 33.
distance = nx.shortest_path_length(graph, 33)
model.run(lambda left, right: left if distance[left] < distance[right] else right, budget=25)

print(model.rank(limit=5))
print(f"{len(model.answers)} answers about {graph.number_of_nodes()} members")
assert model.predict_proba([(33, 16)])[0, 0] > 0.5
