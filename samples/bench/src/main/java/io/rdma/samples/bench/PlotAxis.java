package io.rdma.samples.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The horizontal axis of a panel: logarithmic, or linear from zero if a value is zero. */
final class PlotAxis {
    private final boolean logarithmic;
    private final double from;
    private final double to;
    private final double left;
    private final double right;

    private PlotAxis(boolean logarithmic, double from, double to, double left, double right) {
        this.logarithmic = logarithmic;
        this.from = from;
        this.to = to;
        this.left = left;
        this.right = right;
    }

    /**
     * Creates an axis that covers all values.
     *
     * @param values at least one
     * @param one whether the axis also covers 1
     * @param left start of the axis, in pixels
     * @param right end of the axis, in pixels
     */
    static PlotAxis covering(double[] values, boolean one, double left, double right) {
        double least = Math.min(Arrays.stream(values).min().orElse(1), one ? 1 : Double.MAX_VALUE);
        double most = Math.max(Arrays.stream(values).max().orElse(1), one ? 1 : -Double.MAX_VALUE);
        boolean logarithmic = least > 0;
        return logarithmic
                ? new PlotAxis(true, least / 1.15, most * 1.15, left, right)
                : new PlotAxis(false, Math.min(0, least), Math.max(most, 1) * 1.05, left, right);
    }

    double place(double value) {
        double share = logarithmic
                ? (Math.log(value) - Math.log(from)) / (Math.log(to) - Math.log(from))
                : (value - from) / (to - from);
        return left + share * (right - left);
    }

    /** Returns the values at the ticks of the axis: 1, 2 and 5 of each power of ten, fewer on a long axis. */
    List<Double> ticks() {
        List<Double> ticks = new ArrayList<>();
        if (!logarithmic) {
            double step = Math.pow(10, Math.floor(Math.log10(to - from)));
            step = (to - from) / step < 4 ? step / 4 : step;
            for (double tick = 0; tick <= to; tick += step) {
                ticks.add(tick);
            }
            return ticks;
        }
        double[] steps = Math.log10(to / from) > 4 ? new double[] {1} : new double[] {1, 2, 5};
        for (int power = (int) Math.floor(Math.log10(from)); power <= Math.log10(to); power++) {
            for (double step : steps) {
                double tick = step * Math.pow(10, power);
                if (tick >= from && tick <= to) {
                    ticks.add(tick);
                }
            }
        }
        return ticks;
    }

    double left() {
        return left;
    }

    double right() {
        return right;
    }
}
