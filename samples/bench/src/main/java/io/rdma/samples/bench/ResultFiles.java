package io.rdma.samples.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Files of results: JSON, and one plot for each unit. */
final class ResultFiles {
    private ResultFiles() {}

    static void write(Results results, Path folder) throws IOException {
        Files.createDirectories(folder);
        Path json = folder.resolve(results.instrument() + ".json");
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("instrument", results.instrument());
        all.put("machine", results.machine());
        all.put("figures", results.figures().stream().map(ResultFiles::map).toList());
        all.put("ratios", results.ratios().stream().map(ResultFiles::map).toList());
        JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build().writeValue(json.toFile(), all);
        System.out.println("written: " + json);
        results.figures().stream()
                .collect(Collectors.groupingBy(Figure::unit, LinkedHashMap::new, Collectors.toList()))
                .forEach((unit, figures) -> plot(results.instrument(), unit, figures, folder));
        if (!results.ratios().isEmpty()) {
            plot(results.instrument(), "x", results.ratios(), folder);
        }
    }

    private static Map<String, Object> map(Figure figure) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("name", figure.name());
        map.put("unit", figure.unit());
        map.put("quantity", figure.quantity());
        map.put("median", figure.median());
        map.put("least", figure.least());
        map.put("most", figure.most());
        map.put("rounds", figure.rounds());
        Bar bar = figure.bar();
        if (bar != null) {
            map.put("bar", bar.toString());
            map.put("met", bar.isMet(figure.median()));
        }
        return map;
    }

    private static void plot(String instrument, String unit, List<Figure> figures, Path folder) {
        try {
            String name = instrument + "-" + unit.replaceAll("[^A-Za-z0-9]+", "-") + ".png";
            RangePlot.write(figures, folder.resolve(name));
        } catch (IOException | RuntimeException | LinkageError e) { // such as on a system without fonts
            System.out.println("no plot of " + unit + ": " + e);
        }
    }
}
