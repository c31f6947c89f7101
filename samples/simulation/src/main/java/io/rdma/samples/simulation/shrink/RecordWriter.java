package io.rdma.samples.simulation.shrink;

import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writer of records as a line without spaces, such as {@code (seed=25,clients=[(up=3,longest=900)],pauses=USUAL)}.
 * Fields with their least values are left out, but for those of enumerations. A record that is a constant of its class
 * is written as the constant's name.
 */
final class RecordWriter {
    private static final long SHORT = 10_000;

    private final StringBuilder text = new StringBuilder();

    private RecordWriter() {}

    static String write(Record of) {
        RecordWriter writer = new RecordWriter();
        writer.fields(of);
        return writer.text.toString();
    }

    private void value(@Nullable Object value) {
        switch (value) {
            case null -> text.append("null");
            case Number number -> number(number.longValue());
            case String string -> string(string);
            case Enum<?> constant -> text.append(constant.name());
            case List<?> list -> list(list);
            case Record nested -> {
                String constant = constant(nested);
                if (constant == null) {
                    fields(nested);
                } else {
                    text.append(constant);
                }
            }
            default -> text.append(value);
        }
    }

    static @Nullable String constant(Record of) {
        for (Map.Entry<String, Record> constant :
                Records.constants(of.getClass()).entrySet()) {
            if (constant.getValue().equals(of)) {
                return constant.getKey();
            }
        }
        return null;
    }

    private void fields(Record of) {
        List<@Nullable Object> values = Records.values(of);
        RecordComponent[] fields = of.getClass().getRecordComponents();
        char before = '(';
        for (int i = 0; i < fields.length; i++) {
            if (fields[i].getType().isEnum() || !isLeast(fields[i], values.get(i))) {
                text.append(before).append(fields[i].getName()).append('=');
                value(values.get(i));
                before = ',';
            }
        }
        text.append(before == '(' ? "()" : ")");
    }

    private static boolean isLeast(RecordComponent field, @Nullable Object value) {
        try {
            return Objects.equals(value, Records.least(field));
        } catch (IllegalArgumentException e) {
            return false; // the least value is refused by a constructor
        }
    }

    private void list(List<?> list) {
        text.append('[');
        for (int i = 0; i < list.size(); i++) {
            text.append(i == 0 ? "" : ",");
            value(list.get(i));
        }
        text.append(']');
    }

    private void number(long number) {
        text.append(
                -SHORT < number && number < SHORT
                        ? Long.toString(number)
                        : String.format(Locale.ROOT, "%,d", number).replace(',', '_'));
    }

    /** Writes a text so that a shell, Maven and this program take it as one word. */
    private void string(String string) {
        text.append('"');
        for (char c : string.toCharArray()) {
            text.append(
                    Character.isLetterOrDigit(c) && c < 128 || "-_./:".indexOf(c) >= 0
                            ? String.valueOf(c)
                            : "\\u%04x".formatted((int) c));
        }
        text.append('"');
    }
}
