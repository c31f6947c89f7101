package io.rdma.samples.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

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
            JsonNode json = new ObjectMapper().readTree(file.toFile());
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
                json.path("name").asText(),
                json.path("unit").asText(),
                json.path("quantity").asText(json.path("unit").asText()));
        json.path("rounds").forEach(round -> figure.add(round.asDouble()));
        return figure.bar(json.hasNonNull("bar") ? Bar.parse(json.path("bar").asText()) : null);
    }
}
