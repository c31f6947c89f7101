package io.rdma.samples.pipeline;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import javax.imageio.ImageIO;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * A plot of a run: the rate of each stage over time, and below it the location of the blocks that the sink has not
 * yet taken.
 */
final class PipelinePlot {
    private static final int WIDTH = 1200;
    private static final int HEIGHT = 420;
    /** Number of reports on each side over which a rate is averaged. */
    private static final int SMOOTHING = 2;

    private final Map<Stage, List<StageReport>> reports;
    private final Hop hop;
    private final long start;

    PipelinePlot(Map<Stage, List<StageReport>> reports, Hop hop) {
        this.reports = reports;
        this.hop = hop;
        // The plot starts with the producer. The sink starts earlier, and has nothing to do until then.
        this.start =
                of(Stage.PRODUCER).isEmpty() ? 0 : of(Stage.PRODUCER).getFirst().micros();
    }

    private List<StageReport> of(Stage stage) {
        return reports.getOrDefault(stage, List.of());
    }

    /**
     * Draws the plot.
     *
     * @return the file
     */
    Path write(Path folder) throws IOException {
        System.setProperty("java.awt.headless", "true");
        BufferedImage both = new BufferedImage(WIDTH, 2 * HEIGHT, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = both.createGraphics();
        graphics.drawImage(BitmapEncoder.getBufferedImage(rates()), 0, 0, null);
        graphics.drawImage(BitmapEncoder.getBufferedImage(places()), 0, HEIGHT, null);
        graphics.dispose();
        Files.createDirectories(folder);
        Path file = folder.resolve("pipeline.png");
        ImageIO.write(both, "png", file.toFile());
        return file;
    }

    private static XYChart chart(String title, String axis) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle("seconds")
                .yAxisTitle(axis)
                .theme(Styler.ChartTheme.GGPlot2)
                .build();
        chart.getStyler().setLegendPosition(Styler.LegendPosition.OutsideS);
        chart.getStyler().setLegendLayout(Styler.LegendLayout.Horizontal);
        return chart;
    }

    private double seconds(StageReport report) {
        return (report.micros() - start) / 1e6;
    }

    private XYChart rates() {
        XYChart chart = chart("Rates", "blocks/s");
        for (Stage stage : Stage.values()) {
            List<StageReport> all = of(stage).stream()
                    .filter(report -> report.micros() >= start)
                    .toList();
            if (all.size() > 1) {
                double[] rates = new double[all.size()];
                for (int i = 0; i < rates.length; i++) {
                    StageReport before = all.get(Math.max(0, i - SMOOTHING));
                    rates[i] =
                            all.get(Math.min(rates.length - 1, i + SMOOTHING)).rateSince(before);
                }
                double[] times = all.stream().mapToDouble(this::seconds).toArray();
                chart.addSeries(stage.command(), times, rates).setMarker(SeriesMarkers.NONE);
            }
        }
        return chart;
    }

    /**
     * Returns a chart of the location of the blocks. Each buffer holds one block. The areas overlap: the sum of all is
     * drawn first, behind the others.
     */
    private XYChart places() {
        XYChart chart = chart("Where the blocks are", "buffers that hold one");
        double[] times = of(Stage.SINK).stream()
                .filter(report -> report.micros() >= start)
                .mapToDouble(this::seconds)
                .toArray();
        if (times.length == 0) {
            return chart;
        }
        List<String> names = List.of(
                "sent by the producer", "received by the transform", "sent by the transform", "received by the sink");
        List<double[]> places = List.of(
                at(times, Stage.PRODUCER, StageReport::waiting),
                at(times, Stage.TRANSFORM, report -> hop.buffers() - report.credits()),
                at(times, Stage.TRANSFORM, StageReport::waiting),
                at(times, Stage.SINK, report -> hop.buffers() - report.credits()));
        List<double[]> sums = new ArrayList<>();
        double[] sum = new double[times.length];
        for (double[] place : places.reversed()) { // those at the sink are at the bottom, since they fill first
            for (int i = 0; i < sum.length; i++) {
                sum[i] += place[i];
            }
            sums.add(sum.clone());
        }
        double[] most = new double[times.length];
        Arrays.fill(most, hop.most());
        chart.addSeries("the most there can be", times, most)
                .setMarker(SeriesMarkers.NONE)
                .setLineColor(Color.BLACK)
                .setLineStyle(SeriesLines.DASH_DASH);
        for (int i = 0; i < names.size(); i++) {
            chart.addSeries(names.get(i), times, sums.get(names.size() - 1 - i))
                    .setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Area)
                    .setMarker(SeriesMarkers.NONE);
        }
        return chart;
    }

    /** Returns the value of a stage's last report before each of these times. */
    private double[] at(double[] times, Stage stage, ToDoubleFunction<StageReport> value) {
        List<StageReport> all = of(stage);
        double[] values = new double[times.length];
        int next = 0;
        for (int i = 0; i < times.length; i++) {
            while (next < all.size() && seconds(all.get(next)) <= times[i]) {
                next++;
            }
            values[i] = next == 0 ? 0 : value.applyAsDouble(all.get(next - 1));
        }
        return values;
    }
}
