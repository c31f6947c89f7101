package io.rdma.samples.learn;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;

/**
 * A table of measured numbers, with one row for each x and one column for each measured quantity. It is printed, and
 * drawn as lines over logarithmic axes.
 */
final class Table {
    private final String name;
    private final String x;
    private final String unit;
    private final List<String> columns;
    private final List<double[]> rows = new ArrayList<>(); // x, then the columns

    Table(String name, String x, String unit, List<String> columns) {
        this.name = name;
        this.x = x;
        this.unit = unit;
        this.columns = columns;
    }

    void row(double at, double... values) {
        double[] row = new double[values.length + 1];
        row[0] = at;
        System.arraycopy(values, 0, row, 1, values.length);
        rows.add(row);
    }

    void finish(Path folder) {
        print();
        try {
            System.setProperty("java.awt.headless", "true");
            Files.createDirectories(folder);
            Path file = folder.resolve(name + ".png");
            ImageIO.write(BitmapEncoder.getBufferedImage(chart()), "png", file.toFile());
            System.out.println("written: " + file);
        } catch (IOException | RuntimeException | LinkageError e) { // such as on a system without fonts
            System.out.println("no plot: " + e);
        }
    }

    private void print() {
        System.out.printf("%n%s, %s%n%12s", name, unit, x);
        columns.forEach(column -> System.out.printf(" %20s", column));
        System.out.println();
        for (double[] row : rows) {
            System.out.printf(Locale.ROOT, "%12.0f", row[0]);
            for (int i = 1; i < row.length; i++) {
                System.out.printf(Locale.ROOT, " %20.2f", row[i]);
            }
            System.out.println();
        }
    }

    private XYChart chart() {
        XYChart chart = new XYChartBuilder()
                .width(900)
                .height(600)
                .title(name)
                .xAxisTitle(x)
                .yAxisTitle(unit)
                .theme(Styler.ChartTheme.GGPlot2)
                .build();
        chart.getStyler().setXAxisLogarithmic(true).setYAxisLogarithmic(true);
        chart.getStyler().setLegendPosition(Styler.LegendPosition.InsideNW);
        double[] at = rows.stream().mapToDouble(row -> row[0]).toArray();
        for (int i = 0; i < columns.size(); i++) {
            int column = i + 1;
            chart.addSeries(
                    columns.get(i),
                    at,
                    rows.stream().mapToDouble(row -> row[column]).toArray());
        }
        return chart;
    }
}
