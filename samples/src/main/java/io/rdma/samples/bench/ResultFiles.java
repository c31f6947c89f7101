package io.rdma.samples.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.HorizontalBarChart;
import org.knowm.xchart.HorizontalBarChartBuilder;
import org.knowm.xchart.style.Styler;

/** Results as JSON, and as a plot for each unit. */
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
        new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT).writeValue(json.toFile(), all);
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
            System.setProperty("java.awt.headless", "true");
            List<Figure> upwards = figures.reversed(); // the first one on top
            List<String> names = upwards.stream().map(Figure::name).toList();
            HorizontalBarChart chart = new HorizontalBarChartBuilder()
                    .width(1200)
                    .height(150 + 100 * figures.size()) // with less it leaves names out
                    .title(instrument)
                    .xAxisTitle(unit)
                    .theme(Styler.ChartTheme.GGPlot2)
                    .build();
            chart.getStyler().setLegendPosition(Styler.LegendPosition.InsideNE);
            chart.addSeries("least", upwards.stream().map(Figure::least).toList(), names);
            chart.addSeries("median", upwards.stream().map(Figure::median).toList(), names);
            chart.addSeries("most", upwards.stream().map(Figure::most).toList(), names);
            String name = instrument + "-" + unit.replaceAll("[^A-Za-z0-9]+", "-") + ".png";
            Path file = folder.resolve(name);
            ImageIO.write(BitmapEncoder.getBufferedImage(chart), "png", file.toFile());
            System.out.println("written: " + file);
        } catch (IOException | RuntimeException | LinkageError e) { // where there are no fonts, for instance
            System.out.println("no plot of " + unit + ": " + e);
        }
    }
}
