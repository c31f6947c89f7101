package io.rdma.spring.boot;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.SpringProperties;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Condition that matches if the device that the properties select is usable, see {@link DeviceTrial}. While an
 * application is processed ahead of time it always matches: {@link ConditionsAtRunTime} tries the device when the
 * processed application starts.
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
        if (SpringProperties.getFlag(AbstractAotProcessor.AOT_PROCESSING)) {
            return ConditionOutcome.match(
                    ConditionMessage.forCondition("RDMA device").because("it is tried when the application starts"));
        }
        ConfigurableListableBeanFactory factory = context.getBeanFactory();
        return factory == null
                ? DeviceTrial.outcome(context.getEnvironment())
                : DeviceTrial.outcomeOnce(factory, context.getEnvironment());
    }
}
