// Reads what people paste: lines of "Name: text", or JSON lines.

/** Gives closed sessions; throws an error that says which line cannot be read. */
export function readDialogue(text) {
  const trimmed = text.trim();
  if (trimmed === '') throw new Error('There is nothing to read.');
  const turns = /^[{[]/.test(trimmed) ? fromJSON(trimmed) : fromLines(trimmed);
  const sessions = new Map();
  for (const { session, ...turn } of turns) {
    if (!sessions.has(session)) sessions.set(session, { id: session, turns: [], close: true });
    const s = sessions.get(session);
    s.turns.push({ ...turn, id: turn.id ?? `${session}:${s.turns.length + 1}` });
  }
  return [...sessions.values()];
}

function fromJSON(text) {
  const rows = text.startsWith('[') ? JSON.parse(text) : text.split('\n').filter((l) => l.trim() !== '').map(parseLine);
  return rows.map((row, i) => {
    if (typeof row?.text !== 'string' || typeof row?.speaker !== 'string') throw new Error(`Entry ${i + 1} has no speaker or no text.`);
    const { session = 's1', id, speaker, role, time, text: said } = row;
    return { session: String(session), speaker, text: said, ...(id && { id: String(id) }), ...(role && { role }), ...(time && { time }) };
  });
}

function parseLine(line, i) {
  try {
    return JSON.parse(line);
  } catch {
    throw new Error(`Line ${i + 1} is not JSON.`);
  }
}

function fromLines(text) {
  const turns = [];
  let session = 1;
  let time;
  text.split('\n').forEach((line, i) => {
    if (line.trim() === '') return;
    const heading = /^#\s*(.*)$/.exec(line);
    if (heading) {
      if (turns.length > 0) session++;
      time = heading[1].trim() || undefined;
      return;
    }
    const said = /^([^:：]{1,60})[:：]\s*(.+)$/.exec(line);
    if (said) turns.push({ session: `s${session}`, speaker: said[1].trim(), text: said[2], ...(time && { time }) });
    else if (turns.length > 0) turns.at(-1).text += `\n${line}`;
    else throw new Error(`Line ${i + 1} does not say who speaks: “Name: what was said”.`);
  });
  if (turns.length === 0) throw new Error('There is no turn in it.');
  return turns;
}
