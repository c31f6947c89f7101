package io.rdma.spring.boot;

import io.rdma.connect.ConnectionOptions;
import io.rdma.connect.RdmaResources;
import io.rdma.types.AccessFlag;
import io.rdma.types.RdmaException;
import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RdmaDevices;
import java.util.EnumSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Condition that matches if the device that the properties select is usable. Only a trial shows that: the condition
 * opens the device, registers as much memory as a connection needs, and closes the device again. It also matches if the
 * properties require a device: if there is none, the device's bean then fails and reports why.
 */
final class OnRdmaDevice extends SpringBootCondition implements ConfigurationCondition {
    /**
     * Returns the phase in which beans are registered, so that the condition is evaluated once, and not while
     * configurations are still being parsed.
     */
    @Override
    public ConfigurationPhase getConfigurationPhase() {
        return ConfigurationPhase.REGISTER_BEAN;
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Environment environment = context.getEnvironment();
        ConditionMessage.Builder message = ConditionMessage.forCondition("RDMA device");
        if (environment.getProperty("rdma.required", Boolean.class, false)) {
            return ConditionOutcome.match(message.because("rdma.required is true"));
        }
        try {
            RdmaDevice device = device(environment.getProperty("rdma.device"));
            tryOut(device);
            return ConditionOutcome.match(message.found("device").items(device.name()));
        } catch (RdmaException | IllegalArgumentException | IllegalStateException e) {
            return ConditionOutcome.noMatch(message.because(e.getMessage()));
        }
    }

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
