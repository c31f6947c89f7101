package io.rdma.spring.boot;

import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.unit.DataSize;

/**
 * Options to which properties are applied one at a time. The options check the ranges; a value that they refuse is
 * reported with the name of its property.
 *
 * @param <T> type of the options, which are immutable
 */
final class BoundOptions<T> {
    private final String prefix;
    private T options;

    /**
     * Starts with the defaults.
     *
     * @param prefix of the names of the properties, with the dot
     * @param defaults of the options
     */
    BoundOptions(String prefix, T defaults) {
        this.prefix = prefix;
        this.options = defaults;
    }

    /**
     * Applies a property.
     *
     * @param name name behind the prefix
     * @param value value, or null if the property is not set
     * @param change returns a copy of the options with the value
     * @throws InvalidConfigurationPropertyValueException if the options refuse the value
     */
    <V> BoundOptions<T> set(String name, @Nullable V value, BiFunction<T, V, T> change) {
        if (value != null) {
            try {
                options = change.apply(options, value);
            } catch (IllegalArgumentException e) {
                throw new RefusedPropertyException(
                        prefix + name, value, "Refused by the library: " + e.getMessage() + ".", e);
            }
        }
        return this;
    }

    /** Applies a size whose option is an int. */
    BoundOptions<T> size(String name, DataSize value, BiFunction<T, Integer, T> change) {
        return set(name, value, (from, size) -> change.apply(from, bytes(size)));
    }

    /** Applies a size whose option is a long. */
    BoundOptions<T> longSize(String name, @Nullable DataSize value, BiFunction<T, Long, T> change) {
        return set(name, value, (from, size) -> change.apply(from, size.toBytes()));
    }

    private static int bytes(DataSize size) {
        long bytes = size.toBytes();
        if (bytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("must be at most " + Integer.MAX_VALUE + " bytes: " + size);
        }
        return (int) Math.max(bytes, Integer.MIN_VALUE);
    }

    T get() {
        return options;
    }
}
