package io.rdma.samples.simulation.shrink;

import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The values of records, whatever their fields are. The least value of a field is what a text need not name: false, 0,
 * an empty text or list, the first constant of an enumeration, null where it may be; of a record the first constant
 * that its class declares, or else a record of least values.
 */
final class Records {
    private Records() {}

    /** Returns the values of a record's fields, in their order. */
    static List<@Nullable Object> values(Record of) {
        List<@Nullable Object> values = new ArrayList<>();
        for (RecordComponent field : of.getClass().getRecordComponents()) {
            try {
                field.getAccessor().setAccessible(true);
                values.add(field.getAccessor().invoke(of));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("Cannot read " + field, e);
            }
        }
        return values;
    }

    /**
     * Makes a record.
     *
     * @throws IllegalArgumentException if its constructor refuses the values
     */
    static Record create(Class<?> type, List<@Nullable Object> values) {
        try {
            Constructor<?> constructor = type.getDeclaredConstructor(Arrays.stream(type.getRecordComponents())
                    .map(RecordComponent::getType)
                    .toArray(Class<?>[]::new));
            constructor.setAccessible(true);
            return (Record) constructor.newInstance(values.toArray());
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException(
                    type.getSimpleName() + ": " + e.getTargetException().getMessage(), e.getTargetException());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("Cannot make a " + type, e);
        }
    }

    /**
     * Returns a record that differs in one field.
     *
     * @throws IllegalArgumentException if its constructor refuses the value
     */
    static <T extends Record> T with(T of, int field, @Nullable Object value) {
        List<@Nullable Object> values = values(of);
        values.set(field, value);
        @SuppressWarnings("unchecked")
        T changed = (T) create(of.getClass(), values);
        return changed;
    }

    /** Returns the constants that a record's class declares of itself, by their names. */
    static Map<String, Record> constants(Class<?> type) {
        Map<String, Record> constants = new LinkedHashMap<>();
        for (Field field : type.getDeclaredFields()) {
            if (field.getType() == type && Modifier.isStatic(field.getModifiers())) {
                try {
                    field.setAccessible(true);
                    constants.put(field.getName(), (Record) field.get(null));
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException("Cannot read " + field, e);
                }
            }
        }
        return constants;
    }

    /** Returns whether a field may be null. */
    static boolean isNullable(RecordComponent field) {
        return field.getAnnotatedType().isAnnotationPresent(Nullable.class);
    }

    /**
     * Returns the least value of a field.
     *
     * @throws IllegalArgumentException if there is none, so that a text must name the field
     */
    static @Nullable Object least(RecordComponent field) {
        return isNullable(field) ? null : least(field.getType());
    }

    private static Object least(Class<?> type) {
        if (type == int.class) {
            return 0;
        }
        if (type == long.class) {
            return 0L;
        }
        if (type == boolean.class) {
            return false;
        }
        if (type == String.class) {
            return "";
        }
        if (type == List.class) {
            return List.of();
        }
        if (type.isEnum()) {
            return type.getEnumConstants()[0];
        }
        if (type.isRecord()) {
            return leastRecord(type);
        }
        throw new IllegalStateException("A plan cannot have a field of " + type);
    }

    static Record leastRecord(Class<?> type) {
        for (Record first : constants(type).values()) {
            return first;
        }
        List<@Nullable Object> values = new ArrayList<>();
        for (RecordComponent field : type.getRecordComponents()) {
            values.add(least(field));
        }
        return create(type, values);
    }
}
