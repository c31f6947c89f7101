package io.rdma.samples.bench.calls;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Objects;

/** Calls of one function in one style, by the clock. */
public interface TimedCalls {
    /** The object and two arguments; 0 if all is well. */
    MethodType TYPE = MethodType.methodType(int.class, long.class, long.class, long.class);

    /**
     * Calls it several times.
     *
     * @param calls how often
     * @param object a queue
     * @param second argument
     * @param third argument
     * @return nanoseconds for all, and for looking at the clock once
     */
    long nanos(int calls, long object, long second, long third);

    /**
     * What the last calls returned.
     *
     * @return 0, or all their results with OR
     */
    int failure();

    /**
     * Of an object's function in a style.
     *
     * @param style of the call
     * @param function of the provider
     * @param object whose provider it is
     * @return with code of its own, so that no style is compiled for what another one does
     */
    static TimedCalls of(CallingStyle style, ProviderFunction function, long object) {
        // The compilers see through a handle only if it is a constant. An address is known too late for a constant
        // of an ordinary class: a hidden class is given one.
        try (InputStream template = TimedCalls.class.getResourceAsStream("ConstantCalls.class")) {
            MethodHandles.Lookup hidden = MethodHandles.lookup()
                    .defineHiddenClassWithClassData(
                            Objects.requireNonNull(template).readAllBytes(), style.handle(function, object), true);
            return (TimedCalls) hidden.findConstructor(hidden.lookupClass(), MethodType.methodType(void.class))
                    .invoke();
        } catch (IOException | ReflectiveOperationException e) {
            throw new IllegalStateException("the class of timed calls cannot be made", e);
        } catch (Throwable e) {
            throw new AssertionError(e); // its constructor does nothing
        }
    }
}
