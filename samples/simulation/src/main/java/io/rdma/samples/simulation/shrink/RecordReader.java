package io.rdma.samples.simulation.shrink;

import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reader of what {@link RecordWriter} writes. Spaces and line breaks between the parts do no harm. */
final class RecordReader {
    private static final int SHOWN = 20;

    private final String text;
    private int at;

    private RecordReader(String text) {
        this.text = text;
    }

    /**
     * Reads a record.
     *
     * @throws IllegalArgumentException if the text is not one of the type; the message says where, and why
     */
    static <T extends Record> T read(Class<T> type, String text) {
        RecordReader reader = new RecordReader(text);
        T read = type.cast(reader.value(type));
        if (reader.peek() != 0) {
            throw reader.wrong("expected the end");
        }
        return read;
    }

    private Object value(Type type) {
        if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
            return list(list.getActualTypeArguments()[0]);
        }
        Class<?> plain = (Class<?>) type;
        if (plain.isRecord()) {
            Map<String, Record> constants = Records.constants(plain);
            return peek() == '(' || constants.isEmpty() ? fields(plain) : named(constants);
        }
        if (plain.isEnum()) {
            return named(Arrays.stream(plain.getEnumConstants())
                    .collect(Collectors.toMap(each -> ((Enum<?>) each).name(), each -> each)));
        }
        if (plain == String.class) {
            return string();
        }
        if (plain == boolean.class || plain == Boolean.class) {
            return named(Map.of("true", true, "false", false));
        }
        long number = number();
        if (plain == int.class || plain == Integer.class) {
            if (number != (int) number) {
                throw wrong("expected a smaller number");
            }
            return (int) number;
        }
        return number;
    }

    private Record fields(Class<?> type) {
        Map<String, RecordComponent> known = new HashMap<>();
        for (RecordComponent field : type.getRecordComponents()) {
            known.put(field.getName(), field);
        }
        Map<String, @Nullable Object> named = new HashMap<>();
        expect('(');
        while (!skip(')')) {
            if (!named.isEmpty()) {
                expect(',');
            }
            RecordComponent field = named(known);
            expect('=');
            if (named.containsKey(field.getName())) {
                throw wrong("a second " + field.getName());
            }
            boolean isNull = Records.isNullable(field) && word("null");
            named.put(field.getName(), isNull ? null : value(field.getGenericType()));
        }
        List<@Nullable Object> values = new ArrayList<>();
        for (RecordComponent field : type.getRecordComponents()) {
            values.add(named.containsKey(field.getName()) ? named.get(field.getName()) : least(field));
        }
        return checked(() -> Records.create(type, values));
    }

    private @Nullable Object least(RecordComponent field) {
        try {
            return Records.least(field);
        } catch (IllegalArgumentException e) {
            throw wrong("expected " + field.getName() + " before");
        }
    }

    private Record checked(Supplier<Record> made) {
        try {
            return made.get();
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private List<Object> list(Type of) {
        List<Object> list = new ArrayList<>();
        expect('[');
        while (!skip(']')) {
            if (!list.isEmpty()) {
                expect(',');
            }
            list.add(value(of));
        }
        return List.copyOf(list);
    }

    private <T> T named(Map<String, T> known) {
        peek();
        int begin = at;
        T found = known.get(take(Character::isJavaIdentifierPart));
        if (found == null) {
            at = begin;
            throw wrong("expected one of " + known.keySet().stream().sorted().toList());
        }
        return found;
    }

    private long number() {
        peek();
        int begin = at;
        String digits = take(c -> c == '-' || c == '_' || Character.isDigit(c));
        try {
            return Long.parseLong(digits.replace("_", ""));
        } catch (NumberFormatException e) {
            at = begin;
            throw wrong("expected a number");
        }
    }

    private String string() {
        expect('"');
        StringBuilder string = new StringBuilder();
        for (char c; (c = next()) != '"'; ) {
            string.append(c == '\\' ? escaped() : c);
        }
        return string.toString();
    }

    private char escaped() {
        if (next() != 'u' || at + 4 > text.length()) {
            throw wrong("expected u and four digits");
        }
        at += 4;
        try {
            return (char) Integer.parseInt(text.substring(at - 4, at), 16);
        } catch (NumberFormatException e) {
            throw wrong("expected u and four digits before");
        }
    }

    private char next() {
        if (at == text.length()) {
            throw wrong("expected \"");
        }
        return text.charAt(at++);
    }

    private String take(IntPredicate part) {
        int begin = at;
        while (at < text.length() && part.test(text.charAt(at))) {
            at++;
        }
        return text.substring(begin, at);
    }

    private boolean word(String word) {
        peek();
        boolean here = text.startsWith(word, at);
        at += here ? word.length() : 0;
        return here;
    }

    /** Returns the next character that is not a space, or 0 at the end. */
    private char peek() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at < text.length() ? text.charAt(at) : 0;
    }

    private boolean skip(char expected) {
        boolean here = peek() == expected;
        at += here ? 1 : 0;
        return here;
    }

    private void expect(char expected) {
        if (!skip(expected)) {
            throw wrong("expected " + expected);
        }
    }

    private IllegalArgumentException wrong(String what) {
        String rest = text.substring(at, Math.min(text.length(), at + SHOWN));
        return new IllegalArgumentException(
                what + " at character " + (at + 1) + (rest.isEmpty() ? ", the end" : ": " + rest));
    }
}
