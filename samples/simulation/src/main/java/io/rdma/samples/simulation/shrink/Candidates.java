package io.rdma.samples.simulation.shrink;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Records that are a little smaller than a given one, whatever its fields are: big pieces first. */
final class Candidates {
    private static final int FEW = 128;

    /** Ways to make a value smaller, in the order in which they are tried. */
    private enum Way {
        /** Without some elements of a list: all, halves, quarters, and so on. */
        SHORTER_LISTS,
        /** The least of a record, a text, a flag or an enumeration. */
        LEAST,
        /** 0 or 1. */
        LEAST_NUMBERS,
        /** Half of a number, three quarters, and so on. */
        SMALLER_NUMBERS
    }

    private final Way way;

    private Candidates(Way way) {
        this.way = way;
    }

    /** Returns the candidates of a record. Those that a constructor refuses are left out. */
    static <T extends Record> List<T> of(T record) {
        @SuppressWarnings("unchecked")
        Class<T> type = (Class<T>) record.getClass();
        return Stream.of(Way.values())
                .flatMap(way -> new Candidates(way).smaller(record))
                .map(type::cast)
                .toList();
    }

    private Stream<?> smaller(@Nullable Object value) {
        return switch (value) {
            case Record record -> RecordWriter.constant(record) == null ? smaller(record) : leastOf(record);
            case List<?> list -> Stream.concat(way == Way.SHORTER_LISTS ? shorter(list) : Stream.of(), elements(list));
            case Integer number -> numbers(number).mapToObj(Math::toIntExact);
            case Long number -> numbers(number).boxed();
            case Boolean flag -> way == Way.LEAST && flag ? Stream.of(false) : Stream.of();
            case String text -> way == Way.LEAST && !text.isEmpty() ? Stream.of("") : Stream.of();
            case Enum<?> constant ->
                way == Way.LEAST && constant.ordinal() != 0
                        ? Stream.of(constant.getDeclaringClass().getEnumConstants()[0])
                        : Stream.of();
            case null -> Stream.of();
            default -> Stream.of();
        };
    }

    private Stream<?> smaller(Record record) {
        List<@Nullable Object> values = Records.values(record);
        RecordComponent[] fields = record.getClass().getRecordComponents();
        Stream<?> within = IntStream.range(0, fields.length)
                .boxed()
                .flatMap(i -> Stream.concat(nothing(fields[i], values.get(i)), smaller(values.get(i)))
                        .flatMap(value -> with(record, i, value == NOTHING ? null : value)));
        return Stream.concat(leastOf(record), within);
    }

    private static final Object NOTHING = new Object();

    private Stream<?> nothing(RecordComponent field, @Nullable Object value) {
        return way == Way.LEAST && value != null && Records.isNullable(field) ? Stream.of(NOTHING) : Stream.of();
    }

    /** Returns the first constant of a record's class. A constant is not taken apart: its name says what it is. */
    private Stream<?> leastOf(Record record) {
        return way != Way.LEAST
                ? Stream.of()
                : Records.constants(record.getClass()).values().stream()
                        .limit(1)
                        .filter(least -> !least.equals(record));
    }

    private static Stream<Record> with(Record record, int field, @Nullable Object value) {
        try {
            return Stream.of(Records.with(record, field, value));
        } catch (IllegalArgumentException e) {
            return Stream.of();
        }
    }

    private static Stream<List<?>> shorter(List<?> list) {
        List<List<?>> shorter = new ArrayList<>();
        for (int piece = list.size(); piece > 0; piece /= 2) {
            for (int begin = 0; begin < list.size(); begin += piece) {
                List<Object> rest = new ArrayList<>(list.subList(0, begin));
                rest.addAll(list.subList(Math.min(list.size(), begin + piece), list.size()));
                shorter.add(rest);
            }
        }
        return shorter.stream();
    }

    private Stream<List<?>> elements(List<?> list) {
        return IntStream.range(0, list.size())
                .boxed()
                .flatMap(i -> smaller(list.get(i)).map(element -> {
                    List<Object> copy = new ArrayList<>(list);
                    copy.set(i, Objects.requireNonNull(element));
                    return copy;
                }));
    }

    private LongStream numbers(long number) {
        LongStream.Builder numbers = LongStream.builder();
        if (way == Way.LEAST_NUMBERS) {
            numbers.add(0).add(1);
        } else if (way == Way.SMALLER_NUMBERS) {
            numbers.add(number / 2).add(number - number / 4).add(number - number / 8);
            if (Math.abs(number) <= FEW) {
                numbers.add(number - Long.signum(number));
            }
        }
        return numbers.build()
                .filter(each -> each != number && (number < 0 || each < number))
                .distinct();
    }
}
