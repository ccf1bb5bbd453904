"""What makes the model that ships: its encoder, graph, silver pairs and relations. It imports dxmatch, and nothing imports it."""
