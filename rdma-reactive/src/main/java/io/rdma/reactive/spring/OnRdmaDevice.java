package io.rdma.reactive.spring;

import io.rdma.verbs.RdmaDevice;
import io.rdma.verbs.RdmaDevices;
import io.rdma.verbs.RdmaException;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches if there is the device that the properties ask for, or if they say that there must be: its bean fails then and says why. */
final class OnRdmaDevice extends SpringBootCondition {
    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        Environment environment = context.getEnvironment();
        ConditionMessage.Builder message = ConditionMessage.forCondition("RDMA device");
        if (environment.getProperty("rdma.required", Boolean.class, false)) {
            return ConditionOutcome.match(message.because("rdma.required is true"));
        }
        try {
            return ConditionOutcome.match(message.found("device")
                    .items(device(environment.getProperty("rdma.device")).name()));
        } catch (RdmaException | IllegalArgumentException | IllegalStateException e) {
            return ConditionOutcome.noMatch(message.because(e.getMessage()));
        }
    }

    static RdmaDevice device(@org.jspecify.annotations.Nullable String name) {
        return name == null || name.isBlank() ? RdmaDevices.defaultDevice() : RdmaDevices.named(name);
    }
}
