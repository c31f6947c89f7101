package io.rdma.samples.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The command {@code bench plot}, which draws results again from their JSON. */
@Command(
        name = "plot",
        mixinStandardHelpOptions = true,
        description = "Draws the figures and ratios of result files again, each into a PNG of the same name.")
final class PlotFiles implements Callable<Integer> {
    @Parameters(arity = "1..*", paramLabel = "FILE", description = "JSON files that an instrument has written.")
    private List<Path> files = List.of();

    @Override
    public Integer call() throws IOException {
        for (Path file : files) {
            JsonNode json = new JsonMapper().readTree(file.toFile());
            List<Figure> figures = new ArrayList<>();
            json.path("figures").forEach(figure -> figures.add(figure(figure)));
            json.path("ratios").forEach(ratio -> figures.add(figure(ratio)));
            String name = file.getFileName().toString().replaceFirst("\\.json$", "") + ".png";
            RangePlot.write(figures, file.resolveSibling(name));
        }
        return 0;
    }

    private static Figure figure(JsonNode json) {
        Figure figure = new Figure(
                json.path("name").asString(),
                json.path("unit").asString(),
                json.path("quantity").asString(json.path("unit").asString()));
        json.path("rounds").forEach(round -> figure.add(round.asDouble()));
        return figure.bar(json.hasNonNull("bar") ? Bar.parse(json.path("bar").asString()) : null);
    }
}
