import {
  at,
  isObject,
  type Json,
  type JsonObject,
  listAt,
  textAt,
  textsAt,
} from '../../evidence/json.ts';

/** Dashboards and monitors as JSON: they say what is asked and shown, and hold none of it. */

function hasList(value: Json, name: string): boolean {
  return listAt(value, name).length > 0;
}

function hasOneOf(value: JsonObject, ...names: readonly string[]): boolean {
  return names.some((name) => Object.hasOwn(value, name));
}

/** Of Grafana, as it is exported, or as its API gives it. */
function isGrafanaDashboard(value: JsonObject): boolean {
  const inner = at(value, 'dashboard');
  const board = isObject(inner) ? inner : value;
  const shows = hasList(board, 'panels') || hasList(board, 'rows');
  return shows && hasOneOf(board, 'schemaVersion', 'templating', '__inputs', 'graphTooltip');
}

/** Of CloudWatch or Datadog, by what each of its widgets has. */
function isWidgetDashboard(value: JsonObject): boolean {
  const widgets = listAt(value, 'widgets');
  const isWidget = (one: Json): boolean =>
    isObject(one) && (isObject(at(one, 'properties')) || isObject(at(one, 'definition')));
  return widgets.length > 0 && widgets.every(isWidget);
}

const SAVED = /^(?:dashboard|visualization|search|lens|index-pattern|map|alert|query)$/;

/** Of Kibana, one saved object. */
function isSavedObject(value: JsonObject): boolean {
  const isOfType = SAVED.test(textAt(value, 'type') ?? '');
  return isOfType && isObject(at(value, 'attributes')) && hasOneOf(value, 'references', 'version');
}

const MONITOR_TYPE = /^(?:[\w-]{1,30} alert|service check|composite)$/;

/** Of Datadog: what is asked, and the message to send when it is so. */
function isMonitor(value: JsonObject): boolean {
  if (textAt(value, 'query') === null || textAt(value, 'message') === null) return false;
  const options = at(value, 'options');
  const isOptions =
    isObject(options) && hasOneOf(options, 'thresholds', 'notify_no_data', 'renotify_interval');
  return isOptions || MONITOR_TYPE.test(textAt(value, 'type') ?? '');
}

/** Of Grafana, New Relic or Elastic: queries with the condition that makes them an alert. */
function isAlertRule(value: JsonObject): boolean {
  const isOfGrafana =
    textAt(value, 'condition') !== null &&
    listAt(value, 'data').some((one) => isObject(one) && textAt(one, 'refId') !== null);
  const isOfNewRelic = textAt(value, 'nrql.query') !== null && hasList(value, 'terms');
  const isOfElastic = ['trigger', 'input', 'actions'].every((name) => isObject(at(value, name)));
  return isOfGrafana || isOfNewRelic || isOfElastic;
}

/** Of CloudWatch, one that is not raised. */
function isAlarm(value: JsonObject): boolean {
  const isOfCloudWatch =
    textAt(value, 'AlarmName') !== null && hasOneOf(value, 'MetricName', 'AlarmRule');
  return isOfCloudWatch && textAt(value, 'StateValue') !== 'ALARM';
}

/** Of Prometheus: rules of which none has an alert now. */
function isRuleGroup(value: JsonObject): boolean {
  const rules = listAt(value, 'rules');
  const isQuiet = (rule: Json): boolean =>
    /^(?:alerting|recording)$/.test(textAt(rule, 'type') ?? '') && !hasList(rule, 'alerts');
  return rules.length > 0 && rules.every(isQuiet);
}

const KUBE_KIND =
  /^(?:Grafana(?:Dashboard|AlertRuleGroup|LibraryPanel)|PrometheusRule|Datadog(?:Monitor|Dashboard|SLO))$/;

/** Objects of operators that make them, and the ConfigMaps from which Grafana takes them. */
function isOfOperator(value: JsonObject): boolean {
  const isLabeled = textsAt(value, 'metadata.labels')['grafana_dashboard'] !== undefined;
  return (
    isLabeled ||
    (textAt(value, 'apiVersion') !== null && KUBE_KIND.test(textAt(value, 'kind') ?? ''))
  );
}

const KINDS: readonly ((value: JsonObject) => boolean)[] = [
  isGrafanaDashboard,
  isWidgetDashboard,
  isSavedObject,
  isMonitor,
  isAlertRule,
  isAlarm,
  isRuleGroup,
  isOfOperator,
];

/** Under which APIs and exports give several. */
const LISTS = [
  'monitors',
  'dashboards',
  'objects',
  'policies',
  'data.groups',
  'MetricAlarms',
  'CompositeAlarms',
];

function isListOfDefinitions(value: Json | undefined): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return (value as readonly Json[]).every(
    (one) => isObject(one) && KINDS.some((isOfKind) => isOfKind(one)),
  );
}

/** True for a dashboard or monitor, and for a list of nothing else. */
export function isDefinition(value: Json): boolean {
  if (!isObject(value)) return isListOfDefinitions(value);
  if (KINDS.some((isOfKind) => isOfKind(value))) return true;
  return LISTS.some((name) => isListOfDefinitions(at(value, name)));
}
