package io.rdma.spring.boot;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaResources;
import io.rdma.types.AccessFlag;
import io.rdma.types.RdmaException;
import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RdmaDevices;
import java.lang.System.Logger;
import java.util.EnumSet;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Trial of the device that the properties select. Only a trial shows whether it is usable: it opens the device,
 * registers as much memory as a connection needs, and closes the device again. A device that the properties require
 * needs no trial: if there is none, the bean of the open device fails and reports why.
 */
final class DeviceTrial {
    private static final String OUTCOME = DeviceTrial.class.getName();

    private DeviceTrial() {}

    /** Returns the outcome of the trial for an application context, in which it runs once. */
    static ConditionOutcome outcomeOnce(ConfigurableListableBeanFactory factory, Environment environment) {
        if (factory.getSingleton(OUTCOME) instanceof ConditionOutcome known) {
            return known;
        }
        ConditionOutcome outcome = outcome(environment);
        factory.registerSingleton(OUTCOME, outcome);
        return outcome;
    }

    /** Tries the device. */
    static ConditionOutcome outcome(Environment environment) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("RDMA device");
        Binder binder = Binder.get(environment);
        if (binder.bind("rdma.required", Boolean.class).orElse(false)) {
            return ConditionOutcome.match(message.because("rdma.required is true"));
        }
        String name = binder.bind("rdma.device", String.class).orElse("");
        try {
            RdmaDevice device = device(name);
            tryOut(device);
            return ConditionOutcome.match(message.found("device").items(device.name()));
        } catch (RdmaException | IllegalArgumentException | IllegalStateException e) {
            System.getLogger(DeviceTrial.class.getName())
                    .log(
                            Logger.Level.WARNING,
                            "the application has no RDMA beans, because "
                                    + (name.isBlank() ? "the default device" : "rdma.device=" + name)
                                    + " cannot be used: " + e.getMessage()
                                    + ". Set rdma.device to another name, or rdma.required=true for a start that fails"
                                    + " instead");
            return ConditionOutcome.noMatch(message.because(e.getMessage()));
        }
    }

    /** Returns the device with a name, or the default device. */
    static RdmaDevice device(@Nullable String name) {
        return name == null || name.isBlank() ? RdmaDevices.defaultDevice() : RdmaDevices.named(name);
    }

    private static void tryOut(RdmaDevice device) {
        ConnectionOptions usual = ConnectionOptions.DEFAULT;
        long bytes = (long) usual.receiveBuffers() * usual.receiveBufferSize()
                + (long) usual.sendBuffers() * usual.sendBufferSize();
        try (RdmaResources resources = RdmaResources.open(device)) {
            resources
                    .domain()
                    .allocate(bytes, EnumSet.of(AccessFlag.LOCAL_WRITE))
                    .close();
        }
    }
}
