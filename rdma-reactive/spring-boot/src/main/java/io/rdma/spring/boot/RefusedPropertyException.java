package io.rdma.spring.boot;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Value of a property that is refused, with its cause. Spring Boot reports it as one of its own. The constructor with a
 * cause is public in Spring Boot since 4.1 only, and RSocket applications have 4.0.
 */
final class RefusedPropertyException extends InvalidConfigurationPropertyValueException {
    private static final long serialVersionUID = 1L;

    private final Throwable cause;

    /**
     * Creates an exception.
     *
     * @param name name of the property
     * @param value refused value
     * @param reason why it is refused and what to set instead
     * @param cause failure that the value led to
     */
    RefusedPropertyException(String name, @Nullable Object value, String reason, Throwable cause) {
        super(name, value, reason);
        this.cause = cause;
    }

    @Override
    public synchronized Throwable getCause() {
        return cause; // the superclass has set null, which initCause refuses to replace
    }
}
