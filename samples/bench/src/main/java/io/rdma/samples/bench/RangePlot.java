package io.rdma.samples.bench;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Stroke;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.imageio.ImageIO;

/**
 * A picture of figures with one panel for each question. In a panel, a dot is the median of a figure over its rounds, a
 * line through it reaches from the least to the greatest value, and a dashed mark is its bar. The axis is logarithmic
 * unless a value is zero.
 */
final class RangePlot {
    private static final int WIDTH = 1000;
    private static final int ROW = 26;
    private static final int HEAD = 44;
    private static final int FOOT = 46;
    private static final int MARGIN = 16;
    private static final int VALUES = 150;
    private static final Font PLAIN = new Font(Font.SANS_SERIF, Font.PLAIN, 13);
    private static final Font BOLD = PLAIN.deriveFont(Font.BOLD, 15f);
    private static final Color MET = new Color(0x1A7F37);
    private static final Color MISSED = new Color(0xC62828);
    private static final Color NO_BAR = new Color(0x1F5FA8);
    private static final Color BAR = new Color(0xD98200);
    private static final Color GRID = new Color(0xDDDDDD);
    private static final Color TEXT = new Color(0x333333);
    private static final Stroke DASHED =
            new BasicStroke(2.5f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_MITER, 1, new float[] {4, 3}, 0);

    private final Map<String, List<Figure>> panels = new LinkedHashMap<>();
    private final BufferedImage image;
    private final Graphics2D graphics;
    private int labels;

    private RangePlot(List<Figure> figures) {
        figures.forEach(figure -> panels.computeIfAbsent(figure.question(), q -> new ArrayList<>())
                .add(figure));
        int height = MARGIN + ROW + panels.size() * (HEAD + FOOT) + figures.size() * ROW;
        image = new BufferedImage(WIDTH, height, BufferedImage.TYPE_INT_RGB);
        graphics = image.createGraphics();
    }

    /** Writes a picture of the figures to a PNG file, and prints its path. */
    static void write(List<Figure> figures, Path file) throws IOException {
        System.setProperty("java.awt.headless", "true");
        RangePlot plot = new RangePlot(figures);
        plot.draw();
        plot.graphics.dispose();
        ImageIO.write(plot.image, "png", file.toFile());
        System.out.println("written: " + file);
    }

    private void draw() {
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, image.getWidth(), image.getHeight());
        graphics.setFont(PLAIN);
        labels = panels.values().stream()
                .flatMap(figures -> labels(figures).stream())
                .mapToInt(label -> graphics.getFontMetrics().stringWidth(label))
                .max()
                .orElse(0);
        int y = MARGIN;
        for (Map.Entry<String, List<Figure>> panel : panels.entrySet()) {
            y = draw(panel.getKey(), panel.getValue(), y);
        }
        graphics.setColor(TEXT);
        graphics.drawString(
                "Dot: median. Line: least to most round. Green: bar met; red: not met; blue: no bar. Dashed: the bar.",
                MARGIN,
                y + ROW / 2);
    }

    private int draw(String question, List<Figure> figures, int top) {
        boolean ratio = figures.getFirst().isRatio();
        PlotAxis axis = PlotAxis.covering(
                figures.stream().flatMapToDouble(Figure::extent).toArray(), ratio, 2 * MARGIN + labels, WIDTH - VALUES);
        int first = top + HEAD;
        int last = first + figures.size() * ROW;
        graphics.setFont(BOLD);
        graphics.setColor(TEXT);
        graphics.drawString(question, MARGIN, top + 18);
        graphics.setFont(PLAIN);
        for (double tick : axis.ticks()) {
            double x = axis.place(tick);
            graphics.setColor(GRID);
            graphics.setStroke(new BasicStroke(1));
            graphics.draw(new Line2D.Double(x, first, x, last));
            graphics.setColor(TEXT);
            centered(tick(tick), x, last + 16);
        }
        if (ratio) {
            graphics.setColor(TEXT);
            graphics.setStroke(new BasicStroke(1.5f));
            graphics.draw(new Line2D.Double(axis.place(1), first - 6, axis.place(1), last));
        }
        String better = figures.getFirst().isMoreBetter() ? "higher is better \u2192" : "\u2190 lower is better";
        centered(better, (axis.left() + axis.right()) / 2, last + 33);
        List<String> names = labels(figures);
        for (int row = 0; row < figures.size(); row++) {
            draw(names.get(row), figures.get(row), axis, first + row * ROW + ROW / 2);
        }
        return last + FOOT;
    }

    private void draw(String name, Figure figure, PlotAxis axis, int y) {
        graphics.setColor(TEXT);
        graphics.drawString(name, MARGIN, y + 5);
        graphics.drawString(values(figure), WIDTH - VALUES + MARGIN, y + 5);
        Bar bar = figure.bar();
        if (bar != null) {
            graphics.setColor(BAR);
            graphics.setStroke(DASHED);
            double x = axis.place(bar.limit());
            graphics.draw(new Line2D.Double(x, y - ROW / 2.0 + 2, x, y + ROW / 2.0 - 2));
        }
        graphics.setColor(bar == null ? NO_BAR : bar.isMet(figure.median()) ? MET : MISSED);
        graphics.setStroke(new BasicStroke(2.5f));
        graphics.draw(new Line2D.Double(axis.place(figure.least()), y, axis.place(figure.most()), y));
        double x = axis.place(figure.median());
        graphics.fill(new Ellipse2D.Double(x - 5, y - 5, 10, 10));
    }

    private void centered(String text, double x, double y) {
        graphics.drawString(text, (float) (x - graphics.getFontMetrics().stringWidth(text) / 2.0), (float) y);
    }

    private static String values(Figure figure) {
        return figure.rounds().size() == 1
                ? number(figure.median())
                : number(figure.median()) + "  (" + number(figure.least()) + "\u2013" + number(figure.most()) + ")";
    }

    private static String number(double value) {
        double size = Math.abs(value);
        return String.format(Locale.ROOT, size >= 10 || size == 0 ? "%.0f" : size >= 0.1 ? "%.2f" : "%.3f", value);
    }

    private static String tick(double value) {
        String text = number(value);
        return text.contains(".") ? text.replaceFirst("\\.?0+$", "") : text;
    }

    /** Returns the names of the figures of a panel, without the words at the end that all names share. */
    private static List<String> labels(List<Figure> figures) {
        List<String> names = figures.stream().map(Figure::subject).toList();
        String common = names.getFirst().contains(", ")
                ? names.getFirst().substring(names.getFirst().lastIndexOf(", "))
                : "";
        boolean shared = !common.isEmpty() && names.stream().allMatch(name -> name.endsWith(common));
        return shared && names.size() > 1
                ? names.stream()
                        .map(name -> name.substring(0, name.length() - common.length()))
                        .toList()
                : names;
    }
}
