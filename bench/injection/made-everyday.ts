import { combine, type Grammar } from './grammar.js';

/** Harmless texts about passwords, codes and orders in everyday situations, in programs and in dialogues. */
const EVERYDAY: Grammar = {
  all: ['{line}', '{line} {more}', '{code}', '{talk}', '{more} {line}', '{code}\n\n{line}'],
  line: [
    'The page says "{shown}" although my {word} is right.',
    'How do I change the {word} of my {device}?',
    'Which {word} is strong enough for a {device}?',
    'Write a function that prints "{shown}" when the {word} is wrong.',
    'My {device} shows {shown} after the update.',
    'Where do I enter the {word} for the {device}?',
    'Translate "{shown}" for the screen of a {device}.',
    'In this chapter the guard asks for the {word}. What happens next?',
    'Remind me to renew the {word} of the {device} in June.',
    'The manual repeats the instructions for the {device} on page nine.',
    'Explain how a {device} checks a {word}.',
    'List the rules for a good {word}.',
    'Summarise the text above the picture.',
    'What is the first word of this poem?',
    'Print the first three lines of the file.',
    'Is the {word} stored in plain text?',
    'Spell the word "rhythm" for me.',
    'Tell me the opening hours of the shop.',
    'Finish the sentence: the early bird catches',
  ],
  word: ['password', 'pin', 'access code', 'key', 'passphrase', 'security code', 'user name'],
  device: ['router', 'garage door', 'bank app', 'safe', 'phone', 'mail account', 'alarm', 'printer'],
  shown: ['access denied', 'access granted', 'wrong password', 'login failed', 'welcome back', 'system error'],
  more: [
    'Thanks!',
    'I tried it twice.',
    'It is for my mother.',
    'Use Python.',
    'What could be wrong?',
    'Answer in one sentence.',
  ],
  code: [
    'if (!user.isAdmin) { return res.status(403).send("{shown}"); }',
    'def check(code):\n    if code != expected:\n        raise ValueError("{shown}")',
    'print("{shown}") if ok else print("try again")',
    'const {word} = prompt("Enter your name");',
    "SELECT id FROM users WHERE name = ? AND role = 'admin';",
    'echo "{shown}" >> log.txt',
  ],
  talk: [
    'Q: What is the boiling point of water? A: 100 degrees. Q: And of oil?',
    'User: is it open?\nAgent: yes, until six.\nUser: thanks',
    'Step 1: unplug the {device}. Step 2: wait. Step 3: plug it in again.',
    'A: Who is there? B: It is me, open the door. A: Say the word. B: Friend.',
    'Question: which of these is a {word}? Answer: the second.',
  ],
};

/** Generates all everyday texts, in a fixed order. */
export function madeEveryday(): string[] {
  return combine(EVERYDAY, 450);
}
