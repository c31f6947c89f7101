package io.rdma.samples.bench.calls;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Objects;

/** Timed calls of one function in one style. */
public interface TimedCalls {
    /** Type of a call: the arguments are the object and two more, the result is 0 on success. */
    MethodType TYPE = MethodType.methodType(int.class, long.class, long.class, long.class);

    /**
     * Calls the function several times.
     *
     * @param calls number of calls
     * @param object a queue
     * @param second argument
     * @param third argument
     * @return nanoseconds of all calls and of reading the clock once
     */
    long nanos(int calls, long object, long second, long third);

    /**
     * Returns the results of the last calls.
     *
     * @return 0 on success, otherwise the bitwise OR of all results
     */
    int failure();

    /**
     * Creates calls of an object's function in a style.
     *
     * @param style of the call
     * @param function of the provider
     * @param object whose provider it is
     * @return calls with code of their own, so that no style is compiled with the profile of another one
     */
    static TimedCalls of(CallingStyle style, ProviderFunction function, long object) {
        // The compilers inline a handle only if it is a constant. The address is known too late for a constant of an
        // ordinary class, but a hidden class can be given it.
        try (InputStream template = TimedCalls.class.getResourceAsStream("ConstantCalls.class")) {
            MethodHandles.Lookup hidden = MethodHandles.lookup()
                    .defineHiddenClassWithClassData(
                            Objects.requireNonNull(template).readAllBytes(), style.handle(function, object), true);
            return (TimedCalls) hidden.findConstructor(hidden.lookupClass(), MethodType.methodType(void.class))
                    .invoke();
        } catch (IOException | ReflectiveOperationException e) {
            throw new IllegalStateException("cannot define the class of timed calls", e);
        } catch (Throwable e) {
            throw new AssertionError(e); // its constructor does nothing
        }
    }
}
