package io.rdma.spring.boot.internal;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.SpringProperties;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Condition that matches unless {@code rdma.enabled} is false. Spring Boot's condition on a property would take a
 * mistyped value for false; here it fails the start with the name of the property. While an application is processed
 * ahead of time the condition always matches, and the property is read when the processed application starts.
 */
public final class OnRdmaEnabled extends SpringBootCondition {
    private static final String PROPERTY = "rdma.enabled";

    OnRdmaEnabled() {}

    /**
     * Returns whether the properties enable RDMA.
     *
     * @param environment environment of the application
     * @return true unless the property is false
     */
    public static boolean isEnabled(Environment environment) {
        return Binder.get(environment).bind(PROPERTY, Boolean.class).orElse(true);
    }

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition(PROPERTY);
        if (SpringProperties.getFlag(AbstractAotProcessor.AOT_PROCESSING)) {
            return ConditionOutcome.match(message.because("it is read when the application starts"));
        }
        boolean enabled = isEnabled(context.getEnvironment());
        return new ConditionOutcome(enabled, message.because("it is " + enabled));
    }
}
