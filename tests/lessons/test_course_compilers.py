from tests.lessons.proven import proven

test_snippets, test_exercises, test_analysis = proven(8, 11)
