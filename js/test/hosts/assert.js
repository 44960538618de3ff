// The few assertions of the suites, for hosts without node:assert.

function fail(message, got, want) {
  throw new Error(`${message ?? 'not equal'}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
}

const text = (value) => JSON.stringify(value, (_, v) => (v === undefined ? '∅' : v));

export default {
  ok: (value, message) => value || fail(message, value, true),
  equal: (got, want, message) => got === want || fail(message, got, want),
  deepEqual: (got, want, message) => text(got) === text(want) || fail(message, got, want),
  match: (got, pattern, message) => pattern.test(got) || fail(message, got, String(pattern)),
};
