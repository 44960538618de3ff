/** Invented for this page: a move, a job that changes, an event with a relative date, small talk. */
export const sample = `# 2025-01-14 18:30
Nora: Hi Tomas, long time no see!
Tomas: Hey! How are you?
Nora: Good, good. I moved to Trieste in December, into a flat above a bakery.
Tomas: Lucky you. Do you still work at the aquarium?
Nora: Yes, I am a diver there, I clean the big tank every Thursday.
Tomas: My sister Paula would love that. She is allergic to fish, though.

# 2025-03-02 20:05
Tomas: Guess what, I started a pottery course last week.
Nora: Pottery! I would only make crooked mugs.
Tomas: So do I. My first bowl looks like a hat.
Nora: Ha. Ok.
Tomas: And I adopted a cat, she is called Miso.
Nora: Send pictures!

# 2025-06-21 09:10
Nora: News: I quit the aquarium. From July on I work as a guide on the lagoon boats.
Tomas: Wow, why?
Nora: My ears. The doctor said no more diving after the infection in May.
Tomas: I am sorry. Will you stay in Trieste?
Nora: No, I am moving to Grado next month, closer to the boats.
Tomas: Then Miso and I will visit you there in September.

# 2025-09-08 21:40
Tomas: The train to Grado was late, but what a lagoon!
Nora: Thank you for the bowl. It holds my keys now.
Tomas: I live in Graz since August, did I tell you? The pottery there has a bigger kiln.
Nora: You did not! Then you need a new teacher as well.
Tomas: Paula gave me her old wheel. I am learning alone now.
`;
