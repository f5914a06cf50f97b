// Floating-point functions that the theory defines as C does.
extern double __VERIFIER_nondet_double(void);
extern float __VERIFIER_nondet_float(void);
double fabs(double);
double floor(double);
double ceil(double);
double trunc(double);
double round(double);
double rint(double);
float sqrtf(float);
float fabsf(float);
double fmin(double, double);
double fmax(double, double);
double fdim(double, double);
double fmod(double, double);
double remainder(double, double);
double modf(double, double *);
int __fpclassify(double);
int __builtin_isnormal(double);
int __builtin_isinf_sign(double);

int main(void) {
  double x = __VERIFIER_nondet_double(), y = __VERIFIER_nondet_double();
  float z = __VERIFIER_nondet_float();
  double down = floor(x), up = ceil(x), cut = trunc(y), nearest = round(y), even = rint(x);
  double magnitude = fabs(x);
  double least = fmin(x, y), most = fmax(x, z), distance = fdim(x, y);
  float small = fabsf(z);
  double whole;
  double part = modf(x, &whole);
  double sum = whole + part;
  int class = __fpclassify(x), normal = __builtin_isnormal(y), infinite = __builtin_isinf_sign(x);
  double constant = fmod(7.5, 2.0) + remainder(7.5, 2.0) + fmod(-7.5, 2.0);
  float root = sqrtf(2.25f);
  return class + normal + infinite + (down < up) + (cut == nearest) + (even > magnitude) + (least < most) +
         (distance == small) + (sum == constant) + (root > 1);
}
